// The task that the inspector shows, for the parts inside it, and the one way to change it.
import { createContext, useContext, useMemo } from "react";
import type { DraftTask, DraftView } from "../../../ipc/bindings";
import { type Json, type JsonObject, print, put, step, steps } from "../../../ipc/json";
import { edit } from "../../../state/draft";
import type { PlacedProblem } from "./parts";
import { readableOf } from "./readable";

export type TaskContext = {
  view: DraftView;
  task: DraftTask;
  document: JsonObject;
  /** Where the document lies inside the task: "" for the task itself, `/task` for a map's inner task. */
  base: string;
  /** It is done for an item of a map, so its inputs may read that. */
  isItem: boolean;
  /** Problems inside this document; `at` is a pointer inside it. */
  problems: readonly PlacedProblem[];
  isLocked: boolean;
};

export const TaskContext = createContext<TaskContext | null>(null);

export function useTask(): TaskContext {
  const context = useContext(TaskContext);
  if (!context) throw new Error("this part belongs inside the inspector of a task");
  return context;
}

export function useReadable(): readonly string[] {
  const { task, view } = useTask();
  return useMemo(() => readableOf(task.id, view.edges), [task.id, view.edges]);
}

/** Sets a field of the task; `undefined` removes it. Where its parent is not there yet, the parent is set with it inside. */
export function useSetField(): (field: string, value: Json | undefined) => Promise<unknown> {
  const { task, document, base } = useTask();
  return (field, value) => {
    const [first = "", ...rest] = steps(field);
    const isInside = rest.length > 0 && document[first] === undefined;
    if (isInside && value === undefined) return Promise.resolve();
    const target = isInside ? step(first) : field;
    const whole = isInside ? put({}, rest.map(step).join(""), value) : value;
    return edit([{ setTask: { id: task.id, field: base + target, value: whole === undefined ? null : print(whole) } }]);
  };
}

export function nameOf(view: DraftView, id: string): string {
  return view.tasks.find((task) => task.id === id)?.title || id;
}
