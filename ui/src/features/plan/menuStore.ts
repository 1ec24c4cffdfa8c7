// The menu at the pointer (or at the card, by key): what it is about and where it stands. The plan screen draws it.
import { create } from "zustand";
import type { Point } from "../../components/canvas/model";

export type MenuAsk = { what: "task" | "plan"; at: Point } | { what: "edge"; from: string; to: string; at: Point };

export const useMenu = create<{ ask: MenuAsk | null }>(() => ({ ask: null }));

export function openMenu(ask: MenuAsk): void {
  useMenu.setState({ ask });
}

export function closeMenu(): void {
  useMenu.setState({ ask: null });
}
