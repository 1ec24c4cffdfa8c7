// The references of a task's document: `$from`, `$param` and the like at any depth, `$literal` left alone. Pure.
import { isObject, type Json, type JsonObject, objectOf, textOf } from "../../../ipc/json";

/** Fields in which values with `$` marks stand. A nested plan has names of its own. */
const WITH_MARKS = ["inputs", "over", "task", "fallback"] as const;

export type Mark = "$from" | "$param";

/** A copy of the task in which each marked object is what `change` makes of it. */
export function mapMarks(task: JsonObject, mark: Mark, change: (marked: JsonObject, name: string) => Json): JsonObject {
  const copy: JsonObject = { ...task };
  for (const field of WITH_MARKS) {
    if (copy[field] !== undefined)
      copy[field] = field === "task" ? inner(copy.task, mark, change) : walk(copy[field], mark, change);
  }
  return copy;
}

function inner(value: Json | undefined, mark: Mark, change: (marked: JsonObject, name: string) => Json): Json {
  return isObject(value) ? mapMarks(value, mark, change) : (value ?? null);
}

function walk(value: Json, mark: Mark, change: (marked: JsonObject, name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => walk(item, mark, change));
  if (!isObject(value) || value.$literal !== undefined) return value;
  const name = value[mark];
  if (typeof name === "string") return change(value, name);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, mark, change)]));
}

/** The names that a task's marks hold, in the order in which they stand. */
export function marksOf(task: JsonObject, mark: Mark): string[] {
  const found: string[] = [];
  mapMarks(task, mark, (marked, name) => {
    found.push(name);
    return marked;
  });
  return [...new Set(found)];
}

export function dependenciesOf(task: JsonObject): string[] {
  return Array.isArray(task.dependencies) ? task.dependencies.map(textOf).filter(Boolean) : [];
}

export function renameReads(task: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return mapMarks(task, "$from", (marked, name) => ({ ...marked, $from: names.get(name) ?? name }));
}

/** The tasks of a plan document, as far as they are objects. */
export function tasksOf(document: Json | undefined): JsonObject[] {
  const tasks = objectOf(document).tasks;
  return Array.isArray(tasks) ? tasks.map(objectOf) : [];
}

/** A free id in the manner of the engine: the wanted one, else numbered from 2. */
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const base = /^[A-Za-z0-9_-]{1,64}$/.test(wanted)
    ? wanted
    : wanted.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40) || "task";
  if (!taken.has(base)) return base;
  const stem = base.replace(/_*\d+$/, "").slice(0, 56) || "task";
  let n = 2;
  while (taken.has(`${stem}_${n}`)) n++;
  return `${stem}_${n}`;
}
