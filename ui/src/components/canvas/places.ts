// Where the cards are: where a person put them, else where the layout lays them, clear of those that were put. Pure.
import { type Layout, layOut } from "./layout";
import {
  CARD,
  type CanvasEdge,
  type CanvasTask,
  GAP,
  heightOf,
  type Place,
  type Point,
  placeOf,
  type Rect,
  SNAP,
} from "./model";

/** A card, or a task of a draft, which names its kind otherwise. */
type Placed = Pick<CanvasTask, "id" | "position"> & { kind?: string; taskType?: string };
type Links = readonly Pick<CanvasEdge, "from" | "to">[];

/** A card that a person has just dropped and not connected yet must not push the others aside. */
export function laidOut(tasks: readonly Placed[], edges: Links): string[] {
  const linked = new Set(edges.flatMap((e) => [e.from, e.to]));
  return tasks.filter((t) => t.position === null || linked.has(t.id)).map((t) => t.id);
}

export function placeAll(tasks: readonly Placed[], edges: Links): Map<string, Place> {
  return placesOf(tasks, layOut(laidOut(tasks, edges), edges, heightsOf(tasks)), new Map());
}

function high(task: Placed): number {
  return heightOf(task.kind ?? task.taskType ?? "");
}

export function heightsOf(tasks: readonly Placed[]): (id: string) => number {
  const heights = new Map(tasks.map((task) => [task.id, high(task)]));
  return (id) => heights.get(id) ?? CARD.height;
}

/** What was put by hand stays; a card that the layout would lay over such a one goes to the next free place at its right. */
export function placesOf(
  tasks: readonly Placed[],
  layout: Layout,
  dragged: ReadonlyMap<string, Point>,
): Map<string, Place> {
  const places = new Map<string, Place>();
  const fixed = new Cells();
  for (const task of tasks) {
    if (!task.position) continue;
    places.set(task.id, placeOf(dragged.get(task.id) ?? task.position, high(task)));
    fixed.add(placeOf(task.position, high(task)));
  }
  for (const task of tasks) {
    if (task.position) continue;
    const wish = placeOf(layout.positions.get(task.id) ?? { x: 0, y: 0 }, high(task));
    places.set(task.id, placeOf(dragged.get(task.id) ?? fixed.nextFree(wish), high(task)));
  }
  return places;
}

const MOST_STEPS = 200;

/** Cards by coarse cells, so that asking for a free place looks at a handful of them. */
class Cells {
  private readonly cells = new Map<string, Place[]>();

  /** A card that is higher than a cell stands in the cell below too. */
  add(at: Place): void {
    for (let y = at.y; y < at.y + (at.height ?? CARD.height); y += CARD.height) {
      const key = cellOf({ x: at.x, y });
      this.cells.set(key, [...(this.cells.get(key) ?? []), at]);
    }
  }

  nextFree(wish: Place): Place {
    if (this.cells.size === 0) return wish;
    let at = wish;
    for (let step = 0; step < MOST_STEPS; step++) {
      const hit = this.hit(at);
      if (!hit) break;
      at = { ...at, x: Math.ceil((hit.x + CARD.width + GAP.column) / SNAP) * SNAP };
    }
    this.add(at);
    return at;
  }

  covers(at: Place): boolean {
    return this.hit(at) !== undefined;
  }

  private hit(at: Place): Place | undefined {
    const lines = Math.ceil((at.height ?? CARD.height) / CARD.height);
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= lines; dy++) {
        const near = this.cells.get(cellOf({ x: at.x + dx * CARD.width, y: at.y + dy * CARD.height }));
        const found = near?.find((p) => Math.abs(p.x - at.x) < CARD.width && p.y < bottomOf(at) && at.y < bottomOf(p));
        if (found) return found;
      }
    }
    return undefined;
  }
}

export function bottomOf(at: Place): number {
  return at.y + (at.height ?? CARD.height);
}

function cellOf({ x, y }: Point): string {
  return `${Math.floor(x / CARD.width)},${Math.floor(y / CARD.height)}`;
}

export function boundsOf(points: Iterable<Place>): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const at of points) {
    const { x, y } = at;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + CARD.width);
    bottom = Math.max(bottom, bottomOf(at));
  }
  return left > right
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

/** The set of cards moved to the right until none of them lies on one that is there. */
export function clearOf(set: readonly Place[], there: Iterable<Place>): Point {
  const cells = new Cells();
  for (const point of there) cells.add(point);
  const step = CARD.width + GAP.column;
  for (let n = 0; n < MOST_STEPS; n++) {
    if (!set.some((p) => cells.covers({ ...p, x: p.x + n * step }))) return { x: n * step, y: 0 };
  }
  return { x: 0, y: 0 };
}
