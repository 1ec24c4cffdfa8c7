// What is selected in the plan or run on show; the canvas, the list view and the inspector share it.
import { create } from "zustand";

type State = {
  /** Counted up where what was chosen shall be brought into view. */
  shown: number;
  tasks: readonly string[];
  /** An edge as `from→to`. */
  edge: string | null;
  /** A field of the selected task to bring into view: a JSON Pointer inside the task. Counted, so that asking twice works. */
  field: { pointer: string; count: number; enter: boolean } | null;
};

export const useSelection = create<State>(() => ({ shown: 0, tasks: [], edge: null, field: null }));

export function select(tasks: readonly string[], edge: string | null = null): void {
  const now = useSelection.getState();
  const same = now.edge === edge && now.tasks.length === tasks.length && now.tasks.every((id, ix) => id === tasks[ix]);
  if (!same) useSelection.setState({ tasks, edge, field: null });
}

/** For what has just been made, perhaps out of sight. */
export function selectAndShow(tasks: readonly string[]): void {
  useSelection.setState((s) => ({ tasks, edge: null, field: null, shown: s.shown + 1 }));
}

let asked = 0;

/** `enter`: the cursor goes into the field, too. */
export function revealField(task: string, pointer: string, enter = true): void {
  useSelection.setState({ tasks: [task], edge: null, field: { pointer, count: ++asked, enter } });
}

export function clearSelection(): void {
  useSelection.setState({ tasks: [], edge: null, field: null });
}
