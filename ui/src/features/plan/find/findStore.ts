// Whether the find-and-replace panel is open. A key, a menu or a command opens it; the plan screen draws it.
import { create } from "zustand";

export const useFind = create<{ isOpen: boolean; count: number }>(() => ({ isOpen: false, count: 0 }));

/** Counted, so that asking again brings the cursor back into the field. */
export function openFind(): void {
  useFind.setState((s) => ({ isOpen: true, count: s.count + 1 }));
}

export function closeFind(): void {
  useFind.setState({ isOpen: false });
}
