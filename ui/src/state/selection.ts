// What is selected in the plan or run on show; the canvas, the list view and the inspector share it.
import { create } from "zustand";

type State = {
  tasks: readonly string[];
  /** An edge as `from→to`. */
  edge: string | null;
  /** A field of the selected task to bring into view: a JSON Pointer inside the task. Counted, so that asking twice works. */
  field: { pointer: string; count: number } | null;
};

export const useSelection = create<State>(() => ({ tasks: [], edge: null, field: null }));

export function select(tasks: readonly string[], edge: string | null = null): void {
  const now = useSelection.getState();
  const same = now.edge === edge && now.tasks.length === tasks.length && now.tasks.every((id, ix) => id === tasks[ix]);
  if (!same) useSelection.setState({ tasks, edge, field: null });
}

let asked = 0;

export function revealField(task: string, pointer: string): void {
  useSelection.setState({ tasks: [task], edge: null, field: { pointer, count: ++asked } });
}

export function clearSelection(): void {
  useSelection.setState({ tasks: [], edge: null, field: null });
}
