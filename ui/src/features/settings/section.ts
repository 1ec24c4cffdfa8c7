// Which section of the settings is on show; remembered while the window is open.
import { create } from "zustand";

export const SECTIONS = ["models", "tools", "servers", "limits", "storage", "keyboard", "look"] as const;
export type Section = (typeof SECTIONS)[number];

export const useSection = create<{ section: Section }>(() => ({ section: "models" }));

export function showSection(section: Section): void {
  useSection.setState({ section });
}
