// What tidying makes of a plan: the cards that a person has put somewhere stay, the others are laid around them, and the
// better of two drawings is taken. Pure but for the layouts that it is given.
import { costOf } from "../../../components/canvas/cost";
import { directionNow } from "../../../components/canvas/direction";
import { type HeightOf, type Layout, type Link, layOut, type Order } from "../../../components/canvas/layout";
import { type Place, type Point, placeOf, SNAP } from "../../../components/canvas/model";
import { heightsOf, placeAll, placesOf } from "../../../components/canvas/places";
import type { DraftView, Placed, PlanEdit } from "../../../ipc/bindings";
import { isObject, objectOf, tryParse } from "../../../ipc/json";

/** Lays cards out, those that are kept in the order that they have in their wave. */
export type Lay = (
  ids: readonly string[],
  links: readonly Link[],
  heightOf: HeightOf,
  kept: ReadonlyMap<string, Point>,
) => Promise<Layout>;

/**
 * A plan with a wider wave than this is laid by the usual layout, which breaks such a wave into lines: in one line it has
 * fewer crossings (20 cards a wave: 115 for 1,177), but is seven times as wide as the canvas, and no title can be read.
 */
const WIDEST = 8;

const CLEARLY = 0.95;

/** The tasks that stand where a person has put them, and not where tidying has. */
export function putByHand(view: DraftView): Map<string, Point> {
  const tidied = objectOf(objectOf(objectOf(tryParse(view.document)).layout).tidied);
  const put = new Map<string, Point>();
  for (const { id, position } of view.tasks) {
    if (!position) continue;
    const was = tidied[id];
    const isTidied = isObject(was) && Number(was.x) === position.x && Number(was.y) === position.y;
    if (!isTidied) put.set(id, position);
  }
  return put;
}

export type Tidied = { edits: PlanEdit[]; stayed: number };

/**
 * The edits that tidy the plan; none where it is as tidy as it gets. What a person has put stays where it is, until nothing
 * else would move: then it is laid out with the others, in the order that it has in its wave. `all`: at once.
 */
export async function tidying(view: DraftView, lay: Lay, all = false): Promise<Tidied> {
  const put = putByHand(view);
  const stays = all ? new Map<string, Point>() : put;
  const found = await laid(view, lay, put, stays);
  const edits = editsOf(view, found, stays);
  if (edits.length > 0 || stays.size === 0) return { edits, stayed: edits.length > 0 ? stays.size : 0 };
  return tidying(view, lay, true);
}

/** Null where the usual layout is the best there is: then no place needs to be kept. */
type Found = ReadonlyMap<string, Place> | null;

async function laid(
  view: DraftView,
  lay: Lay,
  put: ReadonlyMap<string, Point>,
  stays: ReadonlyMap<string, Point>,
): Promise<Found> {
  const ids = view.tasks.map((task) => task.id);
  const { edges } = view;
  const heightOf = heightsOf(view.tasks);
  const plain = layOut(ids, edges, heightOf);
  const kept = put.size > 0 ? layOut(ids, edges, heightOf, directionNow(), orderNow(view)) : plain;
  const widest = Math.max(0, ...countsOf(plain.waves).values());
  const other = widest > WIDEST ? null : await lay(ids, edges, heightOf, put);
  const all = [kept, ...(other ? [other] : [])].map((layout) => ({ layout, places: around(view, layout, stays) }));
  const costs = all.map(({ layout, places }) => costOf({ ...layout, lanes: new Map(), positions: places }, edges).cost);
  const least = Math.min(...costs);
  const now = placeAll(view.tasks, edges);
  // While a person's cards stay, the others move only for something that is clearly easier to read.
  if (stays.size > 0 && least > costOf({ ...plain, lanes: new Map(), positions: now }, edges).cost * CLEARLY)
    return now;
  const best = all[costs.indexOf(least)]?.places ?? plain.positions;
  return stays.size === 0 && isSame(best, plain.positions) ? null : best;
}

function isSame(a: ReadonlyMap<string, Point>, b: ReadonlyMap<string, Point>): boolean {
  return [...a].every(([id, at]) => b.get(id)?.x === at.x && b.get(id)?.y === at.y);
}

/** As the cards stand now; an edge that passes by is between its ends. */
function orderNow({ tasks, edges }: DraftView): Order {
  const places = placeAll(tasks, edges);
  const isDown = directionNow() === "down";
  const at = (id: string | undefined) => (isDown ? places.get(id ?? "")?.x : places.get(id ?? "")?.y) ?? 0;
  return ({ id, edge }) => {
    if (id !== null) return at(id);
    const [from, to] = edge?.split("→") ?? [];
    return (at(from) + at(to)) / 2;
  };
}

function countsOf(waves: ReadonlyMap<string, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const wave of waves.values()) counts.set(wave, (counts.get(wave) ?? 0) + 1);
  return counts;
}

/** The drawing moved to where the cards are now; whoever would lie on a card that stays goes beside it. */
function around(view: DraftView, layout: Layout, stays: ReadonlyMap<string, Point>): Map<string, Place> {
  const [dx, dy] = stays.size > 0 ? offset(layout, placeAll(view.tasks, view.edges)) : home(view, layout);
  const heightOf = heightsOf(view.tasks);
  const positions = new Map<string, Place>();
  for (const [id, at] of layout.positions) positions.set(id, placeOf({ x: at.x + dx, y: at.y + dy }, heightOf(id)));
  const tasks = view.tasks.map(({ id, taskType }) => ({ id, taskType, position: stays.get(id) ?? null }));
  return placesOf(tasks, { ...layout, positions }, new Map());
}

/** As far as the middle one of all cards is from where it would be laid, so that most of what is seen stays in sight. */
function offset({ positions }: Layout, now: ReadonlyMap<string, Point>): [number, number] {
  const far = (axis: "x" | "y") => {
    const all = [...positions].map(([id, at]) => (now.get(id)?.[axis] ?? 0) - at[axis]).sort((a, b) => a - b);
    return Math.round((all[Math.floor((all.length - 1) / 2)] ?? 0) / SNAP) * SNAP;
  };
  return [far("x"), far("y")];
}

/** The plan's first task always lies at 0, as in the usual layout. */
function home(view: DraftView, { positions }: Layout): [number, number] {
  const first = positions.get(view.tasks[0]?.id ?? "");
  return [-(first?.x ?? 0), -(first?.y ?? 0)];
}

function editsOf(view: DraftView, found: Found, stays: ReadonlyMap<string, Point>): PlanEdit[] {
  if (found === null) return view.tasks.some((task) => task.position) ? ["tidy", forgotten] : [];
  const placed: Placed[] = [...found].map(([id, { x, y }]) => ({ id, x: Math.round(x), y: Math.round(y) }));
  const shown = placeAll(view.tasks, view.edges);
  if (placed.every(({ id, x, y }) => shown.get(id)?.x === x && shown.get(id)?.y === y)) return [];
  const tidied = placed.filter(({ id }) => !stays.has(id)).map(({ id, x, y }) => [id, { x, y }] as const);
  return [
    "tidy",
    { move: { positions: placed } },
    { setPlan: { field: "/layout/tidied", value: JSON.stringify(Object.fromEntries(tidied)) } },
  ];
}

const forgotten: PlanEdit = { setPlan: { field: "/layout/tidied", value: null } };
