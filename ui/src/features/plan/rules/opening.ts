// A subplan opened up again: its tasks back onto the canvas, parameters back to what they were bound to. Pure.
import { CARD, type Point } from "../../../components/canvas/model";
import { boundsOf } from "../../../components/canvas/places";
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import { isObject, type JsonObject, objectOf, print, textOf, tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { nameOf } from "./grouping";
import { dependenciesOf, freeId, mapMarks, marksOf, tasksOf } from "./reads";

type Places = ReadonlyMap<string, Point>;

/** The nested plan's tasks back onto the canvas. What the format can't say outside is refused with the reason. */
export function openUp(
  view: DraftView,
  id: string,
  places: Places,
): { edits: PlanEdit[]; ids: string[] } | { refusal: string } {
  const all = tasksOf(tryParse(view.document));
  const task = all.find((x) => x.id === id);
  const plan = task?.plan;
  if (task?.task_type !== "subplan" || !isObject(plan)) return { refusal: t.plan.openUpNone };
  if (plan.synthesis !== undefined) return { refusal: t.plan.openUpSynthesis };
  const children = all.filter((x) => [...dependenciesOf(x), ...marksOf(x, "$from")].includes(id));
  const whole = children.find((child) => readsWhole(child, id));
  if (whole) return { refusal: t.plan.openUpWhole(nameOf(all, textOf(whole.id))) };
  const taken = new Set(all.map((x) => textOf(x.id)).filter((x) => x !== id));
  const renamed = new Map<string, string>();
  const passing = passingOf(tasksOf(plan));
  const inside = tasksOf(plan).filter((inner) => !passing.has(textOf(inner.id)));
  for (const inner of inside) {
    const free = freeId(textOf(inner.id), taken);
    taken.add(free);
    renamed.set(textOf(inner.id), free);
  }
  const read = new Set(marksOf(task, "$from"));
  const orderOnly = dependenciesOf(task).filter((d) => !read.has(d));
  const opened = inside.map((inner) => unbound(inner, task, renamed, orderOnly));
  const ends = lastOf(inside).map((x) => renamed.get(x) ?? x);
  // What only passed an output on is read at its source again.
  for (const [out, source] of passing) renamed.set(out, renamed.get(source) ?? source);
  return {
    ids: inside.map((x) => renamed.get(textOf(x.id)) ?? textOf(x.id)),
    edits: [
      { removeTasks: { ids: [id] } },
      { paste: { tasks: print(opened), at: null } },
      ...children.map((child) => ({
        setTask: { id: textOf(child.id), field: "", value: print(rejoined(child, id, renamed, ends)) },
      })),
      ...moved(plan, renamed, places.get(id)),
    ],
  };
}

/** Tasks that grouping has made so that an output can be read from outside: by their id, whose it is. */
function passingOf(tasks: readonly JsonObject[]): Map<string, string> {
  const followed = new Set(tasks.flatMap(dependenciesOf));
  const passing = new Map<string, string>();
  for (const task of tasks) {
    const id = textOf(task.id);
    const [source, ...more] = dependenciesOf(task);
    const isMade = source !== undefined && more.length === 0 && id.startsWith(`${source}_out`) && task.tool === "echo";
    const isPlain = print(task.inputs ?? null) === print({ value: { $from: source ?? "" } });
    if (isMade && isPlain && !followed.has(id)) passing.set(id, source);
  }
  return passing;
}

function readsWhole(task: JsonObject, id: string): boolean {
  let found = false;
  mapMarks(task, "$from", (marked, from) => {
    if (from === id && textOf(marked.path).split("/").filter(Boolean).length === 0) found = true;
    return marked;
  });
  return found;
}

/** What it reads from outside it comes after; what the subplan only waited for, its first tasks wait for. */
function unbound(
  inner: JsonObject,
  outer: JsonObject,
  renamed: ReadonlyMap<string, string>,
  orderOnly: readonly string[],
): JsonObject {
  const given = objectOf(outer.inputs);
  const parameters = objectOf(objectOf(outer.plan).parameters);
  const own = mapMarks(inner, "$from", (marked, from) => ({ ...marked, $from: renamed.get(from) ?? from }));
  const read = mapMarks(
    own,
    "$param",
    (_, name) => given[name] ?? { $literal: objectOf(parameters[name]).default ?? null },
  );
  const before = dependenciesOf(inner).map((d) => renamed.get(d) ?? d);
  const sources = marksOf(read, "$from").filter((d) => dependenciesOf(outer).includes(d));
  const all = [...before, ...sources, ...(before.length === 0 ? orderOnly : [])];
  return { ...read, id: renamed.get(textOf(inner.id)) ?? textOf(inner.id), dependencies: [...new Set(all)] };
}

function lastOf(tasks: readonly JsonObject[]): string[] {
  const followed = new Set(tasks.flatMap(dependenciesOf));
  return tasks.map((x) => textOf(x.id)).filter((x) => !followed.has(x));
}

function rejoined(
  child: JsonObject,
  id: string,
  renamed: ReadonlyMap<string, string>,
  ends: readonly string[],
): JsonObject {
  const read = mapMarks(child, "$from", (marked, from) => {
    if (from !== id) return marked;
    const [, first = "", ...rest] = textOf(marked.path).split("/");
    const path = rest.map((part) => `/${part}`).join("");
    const name = renamed.get(first.replaceAll("~1", "/").replaceAll("~0", "~")) ?? first;
    return path === "" ? { $from: name } : { $from: name, path };
  });
  const before = dependenciesOf(child).flatMap((d) => (d === id ? comesAfter(read, renamed, ends) : [d]));
  return { ...read, dependencies: [...new Set(before)] };
}

function moved(plan: JsonObject, renamed: ReadonlyMap<string, string>, at: Point | undefined): PlanEdit[] {
  const positions = objectOf(objectOf(plan.layout).positions);
  const known = [...renamed].flatMap(([from, to]) => {
    const place = objectOf(positions[from]);
    return place.x === undefined || place.y === undefined
      ? []
      : [{ id: to, x: Number(print(place.x)), y: Number(print(place.y)) }];
  });
  if (!at || known.length < renamed.size) return [];
  const box = boundsOf(known);
  const dx = Math.round(at.x + CARD.width / 2 - box.x - box.width / 2);
  const dy = Math.round(at.y - box.y);
  return [{ move: { positions: known.map((k) => ({ id: k.id, x: k.x + dx, y: k.y + dy })) } }];
}

/** Those that it reads from, and the last ones that were inside: as long as it has waited, it waits. */
function comesAfter(read: JsonObject, renamed: ReadonlyMap<string, string>, ends: readonly string[]): string[] {
  const inside = new Set(renamed.values());
  const sources = marksOf(read, "$from").filter((from) => inside.has(from));
  return [...new Set([...sources, ...ends])];
}
