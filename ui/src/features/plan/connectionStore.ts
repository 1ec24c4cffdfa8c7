// The question "connect to what?", asked by a key or a button; the dialog on the plan screen answers it.
import { create } from "zustand";

/** `child`: whom shall the task feed. `parent`: whom shall it come after. `cut`: which of its connections shall go. */
/** `instead`: the task that the connection has led to so far. */
export type Ask = { what: "child" | "parent" | "cut"; task: string; instead?: string };

export const useConnectionAsk = create<{ ask: Ask | null }>(() => ({ ask: null }));

export function askConnection(what: Ask["what"], task: string, instead?: string): void {
  useConnectionAsk.setState({ ask: instead === undefined ? { what, task } : { what, task, instead } });
}

export function closeConnection(): void {
  useConnectionAsk.setState({ ask: null });
}
