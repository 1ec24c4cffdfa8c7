// Which task is about to be tried alone.
import { create } from "zustand";

export const useTry = create<{ task: string | null }>(() => ({ task: null }));

export function askTry(task: string | null): void {
  useTry.setState({ task });
}
