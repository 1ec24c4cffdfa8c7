// Tasks as plain plan text, to the clipboard and back: ids made free, edges among them kept, and how they stood. Pure.

import { CARD, type Point, SNAP } from "../../../components/canvas/model";
import { boundsOf, clearOf } from "../../../components/canvas/places";
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import {
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  parse,
  print,
  textOf,
  tryParse,
} from "../../../ipc/json";
import { dependenciesOf, freeId, mapMarks, marksOf, renameReads } from "./reads";

type Places = ReadonlyMap<string, Point>;

/** The chosen tasks as a plan of their own, which any text editor can hold. */
export function gather(view: DraftView, ids: ReadonlySet<string>, places: Places): string | null {
  const tasks = view.tasks.filter((task) => ids.has(task.id)).map((task) => parse(task.document));
  if (tasks.length === 0) return null;
  const positions = view.tasks.flatMap((task) => {
    const at = ids.has(task.id) ? places.get(task.id) : undefined;
    return at ? [[task.id, pointOf(at)] as const] : [];
  });
  // The layout is the canvas's own, so it may say where the tasks come from: only there do their outer edges mean the same.
  const layout = { positions: Object.fromEntries(positions), copied_from: view.run };
  return print({ version: parse("1"), tasks, layout }, 2);
}

function pointOf({ x, y }: Point): Json {
  return parse(`{"x":${Math.round(x)},"y":${Math.round(y)}}`);
}

/** `from`: the draft that the tasks were copied from; empty where the text does not say. */
export type Copied = { tasks: JsonObject[]; places: Places; from: string };

/** The tasks in a text: a plan, a bare list of tasks, or one task. Null where there are none. */
export function readCopied(text: string): Copied | null {
  const value = tryParse(text.trim());
  const list = isObject(value) ? (value.tasks ?? (value.instruction === undefined ? null : [value])) : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return null;
  const layout = objectOf(objectOf(value).layout);
  const positions = objectOf(layout.positions);
  const places = new Map<string, Point>();
  for (const [id, at] of Object.entries(positions)) {
    const { x, y } = objectOf(at);
    if (isNumber(x) && isNumber(y)) places.set(id, { x: Number(x.toString()), y: Number(y.toString()) });
  }
  return { tasks: list.map(objectOf), places, from: textOf(layout.copied_from) };
}

/** Where the pasted set's middle shall be; null: beside where the tasks were copied from. */
export type Aim = Point | null;

export type Pasted = {
  edits: PlanEdit[];
  ids: string[];
  newcomers: { id: string; position: Point | null }[];
  links: { from: string; to: string }[];
  /** Inputs that read tasks outside of what was pasted, and so read nothing here. */
  unmapped: { task: string; input: string }[];
};

/** The edits that paste: one step of undo. The new ids come with them, so that they can be selected. */
export function pasteEdits(
  copied: Copied,
  into: { run: string; ids: ReadonlySet<string> },
  there: Places,
  aim: Aim,
): Pasted {
  const isHome = copied.from === into.run;
  const { tasks, ids, renamed, unmapped } = renumbered(copied.tasks, into.ids, isHome);
  const spots = spotsOf(tasks, renamed, copied.places, there, aim);
  const edits: PlanEdit[] = [{ paste: { tasks: print(tasks), at: null } }];
  if (spots.length > 0) edits.push({ move: { positions: spots } });
  const at = new Map(spots.map(({ id, x, y }) => [id, { x, y }]));
  const newcomers = ids.map((id) => ({ id, position: at.get(id) ?? null }));
  const links = tasks.flatMap((task) => dependenciesOf(task).map((from) => ({ from, to: textOf(task.id) })));
  return { edits, ids, newcomers: spots.length > 0 ? newcomers : [], links: spots.length > 0 ? links : [], unmapped };
}

/** In another plan a task of the same id is another task: nothing is joined to it by its name alone. */
function renumbered(tasks: readonly JsonObject[], taken: ReadonlySet<string>, isHome: boolean) {
  const all = new Set(taken);
  const renamed = new Map<string, string>();
  const ids = tasks.map((task) => {
    const old = textOf(task.id);
    const id = freeId(old || textOf(task.title) || textOf(task.task_type), all);
    all.add(id);
    if (old && !renamed.has(old)) renamed.set(old, id);
    return id;
  });
  const made = tasks.map((task, ix) => {
    const renewed = isHome ? renameReads(task, renamed) : openReads(task, renamed);
    const copy: JsonObject = { ...renewed, id: ids[ix] ?? "" };
    if (Array.isArray(task.dependencies)) {
      const kept = dependenciesOf(task).filter((d) => renamed.has(d) || (isHome && taken.has(d)));
      copy.dependencies = kept.map((d) => renamed.get(d) ?? d);
    }
    return copy;
  });
  const unmapped = made.flatMap((task) => openInputs(task, new Set([...ids, ...(isHome ? taken : [])])));
  return { tasks: made, ids, renamed, unmapped };
}

/** What read a task that has not come along is to be picked anew. */
function openReads(task: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  return mapMarks(task, "$from", (marked, name) => {
    const to = renamed.get(name);
    return to === undefined ? { $from: "" } : { ...marked, $from: to };
  });
}

function openInputs(task: JsonObject, known: ReadonlySet<string>): { task: string; input: string }[] {
  return Object.entries(objectOf(task.inputs)).flatMap(([input, value]) =>
    marksOf({ inputs: { [input]: value } }, "$from").some((from) => !known.has(from))
      ? [{ task: textOf(task.id), input }]
      : [],
  );
}

function spotsOf(
  tasks: readonly JsonObject[],
  renamed: ReadonlyMap<string, string>,
  old: Places,
  there: Places,
  aim: Aim,
) {
  const entries = [...renamed].flatMap(([from, to]) => {
    const at = old.get(from);
    return at ? [{ id: to, at }] : [];
  });
  if (entries.length < tasks.length) return [];
  const points = entries.map((e) => e.at);
  const bounds = boundsOf(points);
  const wish = aim
    ? {
        x: snap(aim.x - bounds.x - bounds.width / 2),
        y: snap(aim.y - bounds.y - Math.min(bounds.height / 2, CARD.height / 2)),
      }
    : { x: 0, y: 0 };
  const wished = points.map((p) => ({ x: p.x + wish.x, y: p.y + wish.y }));
  const room = clearOf(wished, there.values());
  return entries.map(({ id }, ix) => ({
    id,
    x: Math.round((wished[ix]?.x ?? 0) + room.x),
    y: Math.round((wished[ix]?.y ?? 0) + room.y),
  }));
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}
