// Leaving tasks out of a run by what the plan format has for it: `when` is false. What stood there before stays in it,
// so that it can come back; an exported plan says the same to everybody who reads it. Pure.
import type { PlanEdit } from "../../../ipc/bindings";
import { type JsonObject, print, textOf } from "../../../ipc/json";

const KEPT = /^false and \(([\s\S]*)\)$/;

export function isSkipped(task: JsonObject): boolean {
  const when = textOf(task.when).trim();
  return when === "false" || KEPT.test(when);
}

/** What `when` becomes; null removes it. */
export function skippedWhen(task: JsonObject, skip: boolean): string | null {
  const when = textOf(task.when).trim();
  if (skip === isSkipped(task)) return when === "" ? null : when;
  if (skip) return when === "" ? "false" : `false and (${when})`;
  return KEPT.exec(when)?.[1] ?? null;
}

/** All chosen are skipped unless all are already: then all come back. */
export function skipEdits(tasks: readonly JsonObject[]): PlanEdit[] {
  const skip = !tasks.every(isSkipped);
  return tasks
    .filter((task) => isSkipped(task) !== skip)
    .map((task) => {
      const when = skippedWhen(task, skip);
      return { setTask: { id: textOf(task.id), field: "/when", value: when === null ? null : print(when) } };
    });
}
