// The question "connect to what?", asked by a key or a button; the dialog on the plan screen answers it.
import { create } from "zustand";

/** `child`: whom shall the task feed. `parent`: whom shall it come after. `cut`: which of its connections shall go. */
export type Ask = { what: "child" | "parent" | "cut"; task: string };

export const useConnectionAsk = create<{ ask: Ask | null }>(() => ({ ask: null }));

export function askConnection(what: Ask["what"], task: string): void {
  useConnectionAsk.setState({ ask: { what, task } });
}

export function closeConnection(): void {
  useConnectionAsk.setState({ ask: null });
}
