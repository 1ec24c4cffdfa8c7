// The course of an edge: right angles, a shared bus just above the child, long parts beside the cards. Pure geometry.
import { type Direction, directionNow } from "./direction";
import { GAP, type Point, type Rect } from "./model";

export type Route = { path: string; arrow: string; label: Point };

const RADIUS = 8;
/** The arrow's tip touches the ring of the in-port. */
const RING = 5;
const ARROW = { length: 7, half: 4.5 };
const CLEAR = 12;

/** Where plans run to the right, the same with x and y changed. */
export function routeEdge(
  from: Rect,
  to: Rect,
  obstacles: readonly Rect[],
  lane?: number,
  direction: Direction = directionNow(),
): Route {
  return draw(routePoints(from, to, obstacles, lane, direction), direction === "right");
}

/** The corners of its course; where plans run to the right, with x and y changed. */
export function routePoints(
  from: Rect,
  to: Rect,
  obstacles: readonly Rect[],
  lane?: number,
  direction: Direction = directionNow(),
): Point[] {
  const isTurned = direction === "right";
  const [a, b, around] = isTurned ? [turned(from), turned(to), obstacles.map(turned)] : [from, to, obstacles];
  return isForward(a, b) ? forward(a, b, around, lane) : back(a, b, around, from === to);
}

function turned({ x, y, width, height }: Rect): Rect {
  return { x: y, y: x, width: height, height: width };
}

function isForward(from: Rect, to: Rect): boolean {
  return to.y - (from.y + from.height) >= GAP.bus;
}

function middle(rect: Rect): number {
  return rect.x + rect.width / 2;
}

function forward(from: Rect, to: Rect, obstacles: readonly Rect[], lane?: number): Point[] {
  const start = { x: middle(from), y: from.y + from.height };
  const end = { x: middle(to), y: to.y };
  const bus = end.y - GAP.bus;
  const leave = Math.min(start.y + GAP.bus, bus);
  const x = bus - leave < CLEAR ? start.x : bestLane(start.x, end.x, leave, bus, obstacles, lane);
  return [start, { x: start.x, y: leave }, { x, y: leave }, { x, y: bus }, { x: end.x, y: bus }, end];
}

/** The x at which the long part runs: through no card, then the fewest bends, then the shortest way. */
function bestLane(
  startX: number,
  endX: number,
  top: number,
  bottom: number,
  obstacles: readonly Rect[],
  lane?: number,
): number {
  const between = obstacles.filter((o) => o.y < bottom && o.y + o.height > top);
  const choices = [
    startX,
    endX,
    ...(lane === undefined ? [] : [lane]),
    ...between.flatMap((o) => [o.x - CLEAR, o.x + o.width + CLEAR]),
  ];
  let best = startX;
  let least = Number.POSITIVE_INFINITY;
  for (const x of choices) {
    const hits = between.filter((o) => x > o.x - CLEAR / 2 && x < o.x + o.width + CLEAR / 2).length;
    const bends = x === startX || x === endX ? 0 : 60;
    const cost = hits * 100_000 + bends + Math.abs(x - startX) + Math.abs(x - endX) + (x === lane ? -40 : 0);
    if (cost < least) {
      least = cost;
      best = x;
    }
  }
  return best;
}

/** Upwards: out of the right side, up past everything in between, down into the child's top. */
function back(from: Rect, to: Rect, obstacles: readonly Rect[], isItself: boolean): Point[] {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 };
  const end = { x: middle(to) + (isItself ? 0 : 40), y: to.y };
  const top = Math.min(end.y - GAP.bus, start.y);
  const bottom = Math.max(end.y, start.y);
  const between = obstacles.filter((o) => o.y < bottom && o.y + o.height > top && o.x + o.width >= start.x - 1);
  const right = Math.max(start.x, to.x + to.width, ...between.map((o) => o.x + o.width)) + 18;
  return [start, { x: right, y: start.y }, { x: right, y: end.y - GAP.bus }, { x: end.x, y: end.y - GAP.bus }, end];
}

function draw(raw: Point[], isTurned: boolean): Route {
  const as = ({ x, y }: Point): Point => (isTurned ? { x: y, y: x } : { x, y });
  const at = (x: number, y: number) => (isTurned ? `${y} ${x}` : `${x} ${y}`);
  const points = simplify(raw);
  const end = points[points.length - 1]!;
  const tip = end.y - RING;
  const arrow = `M${at(end.x - ARROW.half, tip - ARROW.length)}L${at(end.x, tip)}L${at(end.x + ARROW.half, tip - ARROW.length)}Z`;
  const stop = [...points.slice(0, -1), { x: end.x, y: tip - ARROW.length + 1 }];
  return { path: rounded(stop.map(as)), arrow, label: as(labelPlace(points)) };
}

/** Leaves out points that lie on a straight line or on each other. */
function simplify(points: Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const [a, b] = [kept[kept.length - 2], kept[kept.length - 1]];
    if (b && b.x === point.x && b.y === point.y) continue;
    if (a && b && ((a.x === b.x && b.x === point.x) || (a.y === b.y && b.y === point.y))) kept.pop();
    kept.push(point);
  }
  return kept;
}

export function rounded(points: Point[]): string {
  const first = points[0]!;
  let path = `M${first.x} ${first.y}`;
  for (let ix = 1; ix < points.length - 1; ix++) {
    const [a, b, c] = [points[ix - 1]!, points[ix]!, points[ix + 1]!];
    const r = Math.min(RADIUS, length(a, b) / 2, length(b, c) / 2);
    const before = towards(b, a, r);
    const after = towards(b, c, r);
    path += `L${before.x} ${before.y}Q${b.x} ${b.y} ${after.x} ${after.y}`;
  }
  const last = points[points.length - 1]!;
  return `${path}L${last.x} ${last.y}`;
}

function length(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

function towards(from: Point, to: Point, by: number): Point {
  const whole = length(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / whole, y: from.y + ((to.y - from.y) * by) / whole };
}

function labelPlace(points: Point[]): Point {
  let best = { x: points[0]!.x, y: points[0]!.y };
  let most = -1;
  for (let ix = 1; ix < points.length; ix++) {
    const [a, b] = [points[ix - 1]!, points[ix]!];
    if (length(a, b) > most) {
      most = length(a, b);
      best = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    }
  }
  return best;
}
