// Which way plans run: from top to bottom, or from left to right. One for all canvases; a person sets it.
import { create } from "zustand";

export type Direction = "down" | "right";

export const useDirection = create<{ direction: Direction }>(() => ({ direction: "down" }));

export function directionNow(): Direction {
  return useDirection.getState().direction;
}
