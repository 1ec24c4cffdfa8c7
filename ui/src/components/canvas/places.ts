// Where the cards are: where a person put them, else where the layout lays them, clear of those that were put. Pure.
import { type Layout, layOut } from "./layout";
import { CARD, type CanvasEdge, type CanvasTask, GAP, type Point, type Rect, SNAP } from "./model";

type Placed = Pick<CanvasTask, "id" | "position">;
type Links = readonly Pick<CanvasEdge, "from" | "to">[];

/** A card that a person has just dropped and not connected yet must not push the others aside. */
export function laidOut(tasks: readonly Placed[], edges: Links): string[] {
  const linked = new Set(edges.flatMap((e) => [e.from, e.to]));
  return tasks.filter((t) => t.position === null || linked.has(t.id)).map((t) => t.id);
}

export function placeAll(tasks: readonly Placed[], edges: Links): Map<string, Point> {
  return placesOf(tasks, layOut(laidOut(tasks, edges), edges), new Map());
}

/** What was put by hand stays; a card that the layout would lay over such a one goes to the next free place at its right. */
export function placesOf(
  tasks: readonly Placed[],
  layout: Layout,
  dragged: ReadonlyMap<string, Point>,
): Map<string, Point> {
  const places = new Map<string, Point>();
  const fixed = new Cells();
  for (const task of tasks) {
    if (!task.position) continue;
    places.set(task.id, dragged.get(task.id) ?? task.position);
    fixed.add(task.position);
  }
  for (const task of tasks) {
    if (task.position) continue;
    const wish = layout.positions.get(task.id) ?? { x: 0, y: 0 };
    places.set(task.id, dragged.get(task.id) ?? fixed.nextFree(wish));
  }
  return places;
}

const MOST_STEPS = 200;

/** Cards by coarse cells, so that asking for a free place looks at a handful of them. */
class Cells {
  private readonly cells = new Map<string, Point[]>();

  add(at: Point): void {
    const key = cellOf(at);
    this.cells.set(key, [...(this.cells.get(key) ?? []), at]);
  }

  nextFree(wish: Point): Point {
    if (this.cells.size === 0) return wish;
    let at = wish;
    for (let step = 0; step < MOST_STEPS; step++) {
      const hit = this.hit(at);
      if (!hit) break;
      at = { x: Math.ceil((hit.x + CARD.width + GAP.column) / SNAP) * SNAP, y: at.y };
    }
    this.add(at);
    return at;
  }

  covers(at: Point): boolean {
    return this.hit(at) !== undefined;
  }

  private hit(at: Point): Point | undefined {
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        const near = this.cells.get(cellOf({ x: at.x + dx * CARD.width, y: at.y + dy * CARD.height }));
        const found = near?.find((p) => Math.abs(p.x - at.x) < CARD.width && Math.abs(p.y - at.y) < CARD.height);
        if (found) return found;
      }
    }
    return undefined;
  }
}

function cellOf({ x, y }: Point): string {
  return `${Math.floor(x / CARD.width)},${Math.floor(y / CARD.height)}`;
}

export function boundsOf(points: Iterable<Point>): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + CARD.width);
    bottom = Math.max(bottom, y + CARD.height);
  }
  return left > right
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

/** The set of cards moved to the right until none of them lies on one that is there. */
export function clearOf(set: readonly Point[], there: Iterable<Point>): Point {
  const cells = new Cells();
  for (const point of there) cells.add(point);
  const step = CARD.width + GAP.column;
  for (let n = 0; n < MOST_STEPS; n++) {
    if (!set.some((p) => cells.covers({ x: p.x + n * step, y: p.y }))) return { x: n * step, y: 0 };
  }
  return { x: 0, y: 0 };
}
