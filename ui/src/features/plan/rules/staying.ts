// What a person sees stays where it is when something is put among it: the cards that the layout would move away for the
// newcomer keep their places from then on. Pure. Tidying forgets all of that.
import { directionNow } from "../../../components/canvas/direction";
import { CARD, GAP, type Point, SNAP } from "../../../components/canvas/model";
import { bottomOf, clearOf, placeAll } from "../../../components/canvas/places";
import type { DraftView, Placed } from "../../../ipc/bindings";

type Newcomer = { id: string; position: Point | null; taskType?: string };
type Link = { from: string; to: string };

/** The places to keep, if these tasks and edges were added. */
export function staying(
  view: DraftView,
  newcomers: readonly Newcomer[],
  links: readonly Link[],
  gone: readonly Link[] = [],
): Placed[] {
  const now = placeAll(view.tasks, view.edges);
  const kept = view.edges.filter((e) => !gone.some((g) => g.from === e.from && g.to === e.to));
  const then = placeAll([...view.tasks, ...newcomers], [...kept, ...links]);
  return view.tasks.flatMap((task) => {
    const [is, will] = [now.get(task.id), then.get(task.id)];
    if (task.position || !is || (will?.x === is.x && will.y === is.y)) return [];
    return [{ id: task.id, x: Math.round(is.x), y: Math.round(is.y) }];
  });
}

export function isArranged(view: DraftView): boolean {
  return view.tasks.some((task) => task.position !== null);
}

/** A free place under the tasks that the new one comes after, in a plan that a person has arranged. */
export function placeUnder(view: DraftView, after: readonly string[]): Point | null {
  if (after.length === 0 || !isArranged(view)) return null;
  const places = placeAll(view.tasks, view.edges);
  const parents = after.flatMap((id) => places.get(id) ?? []);
  if (parents.length === 0) return null;
  const mean = (of: (p: Point) => number) => parents.reduce((sum, p) => sum + of(p), 0) / parents.length;
  const wish =
    directionNow() === "down"
      ? { x: snap(mean((p) => p.x)), y: snap(Math.max(...parents.map(bottomOf)) + GAP.wave - CARD.height) }
      : { x: snap(Math.max(...parents.map((p) => p.x)) + CARD.width + 56), y: snap(mean((p) => p.y)) };
  const room = clearOf([wish], places.values());
  return { x: wish.x + room.x, y: wish.y + room.y };
}

export function cornerOf(middle: Point): Point {
  return { x: snap(middle.x - CARD.width / 2), y: snap(middle.y - CARD.height / 2) };
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}
