// Two demo documents side by side, by the engine's rules: tasks by id, fields by JSON Pointer. The engine's own is the truth.
import type { EdgeDiff, FieldDiff, PlanDiff, TaskDiff } from "../bindings";
import { isObject, type Json, type JsonObject, objectOf, print, step, textOf } from "../json";
import { dependenciesOf, tasksOf } from "./ways";

export function diffOf(before: Json, after: Json): PlanDiff {
  const [old, now] = [byId(before), byId(after)];
  const there = [...now].map<TaskDiff>(([id, task]) => {
    const was = old.get(id);
    const fields = was ? differing("", was, task) : [];
    return {
      task: id,
      title: titleOf(task, id),
      change: !was ? "added" : fields.length > 0 ? "changed" : "kept",
      fields,
    };
  });
  const gone = [...old]
    .filter(([id]) => !now.has(id))
    .map<TaskDiff>(([id, task]) => ({ task: id, title: titleOf(task, id), change: "removed", fields: [] }));
  const tasks = [...there, ...gone];
  const plan = differing("", beside(before), beside(after));
  const edges = edgesOf(old, now);
  const isPlain = (field: FieldDiff) => field.pointer === "/title";
  return {
    tasks,
    edges,
    plan,
    moved: [...now.keys()].filter((id) => old.has(id) && print(placeOf(before, id)) !== print(placeOf(after, id))),
    isReordered: isReordered([...old.keys()], [...now.keys()]),
    executes:
      plan.length > 0 || tasks.some((t) => t.change !== "kept" && !(t.fields.length > 0 && t.fields.every(isPlain))),
  };
}

function byId(document: Json): Map<string, JsonObject> {
  return new Map(tasksOf(document).map((task) => [textOf(task.id), task]));
}

function titleOf(task: JsonObject, id: string): string {
  return textOf(task.title) || id;
}

function beside(document: Json): Json {
  return Object.fromEntries(Object.entries(objectOf(document)).filter(([key]) => key !== "tasks" && key !== "layout"));
}

function placeOf(document: Json, id: string): Json {
  return objectOf(objectOf(objectOf(document).layout).positions)[id] ?? null;
}

function differing(pointer: string, before: Json | undefined, after: Json | undefined): FieldDiff[] {
  const [old, now] = [textAt(before), textAt(after)];
  if (old === now) return [];
  if (!isObject(before) || !isObject(after) || isReference(before) || isReference(after))
    return [{ pointer, before: old, after: now }];
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => differing(`${pointer}${step(key)}`, before[key], after[key]));
}

function textAt(value: Json | undefined): string | null {
  return value === undefined ? null : print(value);
}

function isReference(value: JsonObject): boolean {
  return Object.keys(value).some((key) => key.startsWith("$"));
}

function edgesOf(old: Map<string, JsonObject>, now: Map<string, JsonObject>): EdgeDiff[] {
  const list = (tasks: Map<string, JsonObject>) =>
    [...tasks].flatMap(([to, task]) =>
      dependenciesOf(task)
        .filter((from) => tasks.has(from))
        .map((from) => ({ from, to })),
    );
  const missing = (from: { from: string; to: string }[], known: { from: string; to: string }[], isAdded: boolean) =>
    from.filter((e) => !known.some((k) => k.from === e.from && k.to === e.to)).map((e) => ({ ...e, isAdded }));
  return [...missing(list(now), list(old), true), ...missing(list(old), list(now), false)];
}

function isReordered(old: string[], now: string[]): boolean {
  const [a, b] = [old.filter((id) => now.includes(id)), now.filter((id) => old.includes(id))];
  return a.some((id, ix) => id !== b[ix]);
}
