// From one plan document to another, as the edits that a person could have made by hand: named, small, one step of undo. Pure.
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import { isObject, type Json, type JsonObject, objectOf, print, step, textOf, tryParse } from "../../../ipc/json";
import { changes } from "../inspector/JsonTab";
import { tasksOf } from "../rules/reads";

/** Null where the text is no plan that edits could lead to. */
export function planEdits(view: DraftView, after: Json): PlanEdit[] | null {
  if (!isObject(after) || (after.tasks !== undefined && !Array.isArray(after.tasks))) return null;
  if (!tasksOf(after).every((task) => Object.keys(task).length > 0)) return null;
  const before = objectOf(tryParse(view.document));
  return [...taskEdits(view, tasksOf(after)), ...fieldEdits(before, after)];
}

function fieldEdits(before: JsonObject, after: JsonObject): PlanEdit[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => key !== "tasks");
  return keys.flatMap((key) => {
    const [was, is] = [before[key], after[key]];
    if (was !== undefined && is !== undefined && print(was) === print(is)) return [];
    return [{ setPlan: { field: step(key), value: is === undefined ? null : print(is) } }];
  });
}

/** Tasks are known by their ids; one that went where another came at the same place has been renamed. */
function taskEdits(view: DraftView, after: readonly JsonObject[]): PlanEdit[] {
  const before = view.tasks.map((task) => ({ name: task.id, document: objectOf(tryParse(task.document)) }));
  const byId = new Map(before.map((task, ix) => [task.name, { ...task, ix }]));
  const wanted = new Set(after.map((task) => textOf(task.id)));
  const matched = new Set<string>();
  const edits: PlanEdit[] = [];
  const added: PlanEdit[] = [];
  after.forEach((task, ix) => {
    const there = before[ix];
    const known = byId.get(textOf(task.id)) ?? (there && !wanted.has(there.name) ? { ...there, ix } : undefined);
    if (!known || matched.has(known.name)) {
      added.push({ addTask: { task: print(task), after: [], before: [], position: null } });
      return;
    }
    matched.add(known.name);
    edits.push(...changes(known.name, known.document, task));
  });
  const gone = before.filter((task) => !matched.has(task.name)).map((task) => task.name);
  return [...edits, ...added, ...(gone.length > 0 ? [{ removeTasks: { ids: gone } }] : [])];
}
