// Tasks into a subplan and out of it again, by the plan format alone: what comes in from outside becomes a parameter, what
// goes out is read from the subplan's output, which has one entry for each of its last tasks. Pure.

import { CARD, type Point } from "../../../components/canvas/model";
import { boundsOf } from "../../../components/canvas/places";
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import { type Json, type JsonObject, objectOf, parse, print, step, textOf, tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { dependenciesOf, freeId, mapMarks, marksOf, tasksOf } from "./reads";

type Places = ReadonlyMap<string, Point>;
export type Grouped = { edits: PlanEdit[]; id: string } | { refusal: string };

export function makeSubplan(view: DraftView, ids: ReadonlySet<string>, places: Places): Grouped {
  const document = objectOf(tryParse(view.document));
  const all = tasksOf(document);
  const inside = all.filter((task) => ids.has(textOf(task.id)));
  if (inside.length === 0) return { refusal: t.plan.pickTask };
  const between = standingBetween(all, ids);
  if (between.length > 0) return { refusal: t.plan.groupBetween(nameOf(all, between[0] ?? "")) };
  const id = freeId("subplan", new Set(all.map((task) => textOf(task.id))));
  const binding = new Binding(objectOf(document.parameters));
  const inner = inside.map((task) => binding.bind(task, ids));
  const outlets = outletsOf(all, inner, ids);
  const plan: JsonObject = {
    version: parse("1"),
    ...(binding.isEmpty ? {} : { parameters: binding.parameters }),
    tasks: [...inner, ...outlets.passing],
    ...(document.grants === undefined ? {} : { grants: document.grants }),
    layout: { positions: positionsOf(inner, places) },
  };
  const outer = [...new Set(inside.flatMap(dependenciesOf).filter((d) => !ids.has(d)))];
  const task: JsonObject = {
    id,
    title: t.plan.groupTitle(inside.length),
    task_type: "subplan",
    instruction: t.plan.groupInstruction(inside.map((x) => textOf(x.title) || textOf(x.id)).slice(0, 4)),
    dependencies: outer,
    inputs: binding.inputs,
    plan,
  };
  const box = boundsOf(inside.flatMap((x) => places.get(textOf(x.id)) ?? []));
  const at = { x: Math.round(box.x + (box.width - CARD.width) / 2), y: Math.round(box.y) };
  return {
    id,
    edits: [
      { addTask: { task: print(task), after: [], before: [], position: at } },
      ...followers(all, ids, id, outlets.names),
      { removeTasks: { ids: [...ids] } },
    ],
  };
}

export function nameOf(all: readonly JsonObject[], id: string): string {
  return textOf(all.find((task) => task.id === id)?.title) || id;
}

/** Tasks outside that come after one inside and before another: with them left out, the subplan would be in a loop. */
function standingBetween(all: readonly JsonObject[], ids: ReadonlySet<string>): string[] {
  const children = new Map<string, string[]>();
  const parents = new Map<string, string[]>();
  for (const task of all) {
    const id = textOf(task.id);
    parents.set(id, dependenciesOf(task));
    for (const d of dependenciesOf(task)) children.set(d, [...(children.get(d) ?? []), id]);
  }
  const below = reach([...ids], children);
  const above = reach([...ids], parents);
  return [...below].filter((id) => above.has(id) && !ids.has(id));
}

function reach(from: readonly string[], next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const queue = [...from];
  for (const here of queue) {
    for (const there of next.get(here) ?? []) {
      if (found.has(there)) continue;
      found.add(there);
      queue.push(there);
    }
  }
  return found;
}

/** What comes in from outside: one parameter of the nested plan for each, and the input that gives it. */
class Binding {
  readonly parameters: JsonObject = {};
  readonly inputs: JsonObject = {};
  private readonly names = new Map<string, string>();

  constructor(private readonly outer: JsonObject) {}

  get isEmpty(): boolean {
    return Object.keys(this.parameters).length === 0;
  }

  bind(task: JsonObject, ids: ReadonlySet<string>): JsonObject {
    const own = mapMarks(task, "$param", (marked, name) => ({ ...marked, $param: this.parameter(name) }));
    const bound = mapMarks(own, "$from", (marked, from) =>
      ids.has(from) ? marked : { $param: this.output(from, textOf(marked.path)) },
    );
    return { ...bound, dependencies: dependenciesOf(task).filter((d) => ids.has(d)) };
  }

  private parameter(name: string): string {
    return this.named(`param ${name}`, name, objectOf(this.outer[name]), { $param: name });
  }

  private output(from: string, path: string): string {
    const last = path
      .split("/")
      .filter((part) => /^[A-Za-z_]\w*$/.test(part))
      .pop();
    return this.named(
      `from ${from} ${path}`,
      last ? `${from}_${last}` : from,
      {},
      path === "" ? { $from: from } : { $from: from, path },
    );
  }

  private named(key: string, wanted: string, schema: JsonObject, input: Json): string {
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = freeId(wanted, new Set(Object.keys(this.parameters)));
    this.names.set(key, name);
    this.parameters[name] = schema;
    this.inputs[name] = input;
    return name;
  }
}

/** Tasks inside that are read from outside: a last one by its own name, another by a task that passes its output on. */
function outletsOf(all: readonly JsonObject[], inner: readonly JsonObject[], ids: ReadonlySet<string>) {
  const followed = new Set(inner.flatMap(dependenciesOf));
  const read = new Set(all.filter((task) => !ids.has(textOf(task.id))).flatMap((task) => marksOf(task, "$from")));
  const taken = new Set(ids);
  const names = new Map<string, string>();
  const passing: JsonObject[] = [];
  for (const id of [...read].filter((x) => ids.has(x))) {
    if (!followed.has(id)) {
      names.set(id, id);
      continue;
    }
    const out = freeId(`${id}_out`, taken);
    taken.add(out);
    names.set(id, out);
    passing.push({
      id: out,
      title: t.plan.passOn(nameOf(inner, id)),
      task_type: "tool",
      tool: "echo",
      instruction: t.plan.passOnNote,
      dependencies: [id],
      inputs: { value: { $from: id } },
    });
  }
  return { names, passing };
}

/** The tasks outside that came after one inside now come after the subplan; what read from inside reads its output. */
function followers(
  all: readonly JsonObject[],
  ids: ReadonlySet<string>,
  id: string,
  names: ReadonlyMap<string, string>,
): PlanEdit[] {
  return all.flatMap((task) => {
    const before = dependenciesOf(task);
    if (ids.has(textOf(task.id)) || ![...before, ...marksOf(task, "$from")].some((d) => ids.has(d))) return [];
    const read = mapMarks(task, "$from", (marked, from) =>
      ids.has(from) ? { $from: id, path: `${step(names.get(from) ?? from)}${textOf(marked.path)}` } : marked,
    );
    const changed = { ...read, dependencies: [...new Set(before.map((d) => (ids.has(d) ? id : d)))] };
    return [{ setTask: { id: textOf(task.id), field: "", value: print(changed) } }];
  });
}

function positionsOf(inner: readonly JsonObject[], places: Places): JsonObject {
  return Object.fromEntries(
    inner.flatMap((task) => {
      const at = places.get(textOf(task.id));
      return at ? [[textOf(task.id), parse(`{"x":${Math.round(at.x)},"y":${Math.round(at.y)}}`)] as const] : [];
    }),
  );
}
