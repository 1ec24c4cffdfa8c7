// The ways between the tasks of a demo draft: who comes after whom, what lies above, what may be in a loop. It knows no view.
import { type Json, type JsonObject, objectOf, textOf } from "../json";

export function tasksOf(document: Json): JsonObject[] {
  const tasks = objectOf(document).tasks;
  return Array.isArray(tasks) ? tasks.map(objectOf) : [];
}

export function dependenciesOf(task: JsonObject): string[] {
  return Array.isArray(task.dependencies) ? task.dependencies.filter((d): d is string => typeof d === "string") : [];
}

export type Children = ReadonlyMap<string, readonly string[]>;

export function childrenOf(tasks: readonly JsonObject[]): Children {
  const children = new Map<string, string[]>();
  for (const task of tasks) {
    for (const d of dependenciesOf(task)) {
      const known = children.get(d);
      if (known) known.push(textOf(task.id));
      else children.set(d, [textOf(task.id)]);
    }
  }
  return children;
}

/** Whether `to` can be reached from `from` along dependencies; the way there, or null. */
export function wayBetween(tasks: JsonObject[], from: string, to: string, children: Children = childrenOf(tasks)) {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  const queue = [from];
  for (const here of queue) {
    if (here === to) break;
    for (const child of children.get(here) ?? []) {
      if (cameFrom.has(child)) continue;
      cameFrom.set(child, here);
      queue.push(child);
    }
  }
  if (!cameFrom.has(to)) return null;
  const way: string[] = [];
  for (let here: string | null = to; here !== null; here = cameFrom.get(here) ?? null) way.unshift(here);
  return way;
}

export function refusal(tasks: JsonObject[], from: string, to: string): string | null {
  if (from === to) return "A task can't depend on itself.";
  const target = tasks.find((t) => t.id === to);
  if (target && dependenciesOf(target).includes(from)) return "Connected already.";
  const way = wayBetween(tasks, to, from);
  return way ? `Makes a loop: ${[...way, to].join(" → ")}.` : null;
}

/** The tasks that may be part of a loop: those that are left when whatever comes after nothing is taken away, again and again. */
export function maybeInLoop(tasks: readonly JsonObject[], children: Children): ReadonlySet<string> {
  const ids = new Set(tasks.map((task) => textOf(task.id)));
  const known = (task: JsonObject) => dependenciesOf(task).filter((d) => ids.has(d)).length;
  const left = new Map(tasks.map((task) => [textOf(task.id), known(task)]));
  const free = [...ids].filter((id) => left.get(id) === 0);
  for (const id of free) {
    ids.delete(id);
    for (const child of children.get(id) ?? []) {
      left.set(child, (left.get(child) ?? 0) - 1);
      if (left.get(child) === 0) free.push(child);
    }
  }
  return ids;
}

export type ById = ReadonlyMap<string, JsonObject>;

export const byIdOf = (tasks: readonly JsonObject[]): ById => new Map(tasks.map((t) => [textOf(t.id), t]));

export function ancestors(byId: ById, id: string): string[] {
  const found = new Set<string>();
  const queue = [id];
  for (const here of queue) {
    for (const parent of dependenciesOf(byId.get(here) ?? {})) {
      if (found.has(parent) || parent === id || !byId.has(parent)) continue;
      found.add(parent);
      queue.push(parent);
    }
  }
  return [...found];
}
