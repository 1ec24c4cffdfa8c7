// What the canvas draws: plain values, made by the screens. It knows no plan document and no run.
import type { CardStatus } from "../marks/marks";

export const CARD = { width: 216, height: 72 };
export const GAP = { column: 24, wave: 104, line: 88, bus: 16 };
export const SNAP = 8;

export type Point = { x: number; y: number };
export type Rect = Point & { width: number; height: number };

export type CanvasTask = {
  id: string;
  title: string;
  kind: string;
  detail: string;
  status: CardStatus;
  /** Where a person put it; else the layout decides. */
  position: Point | null;
  /** The strip: what stands at its left and right. Drafts show grants at left. */
  left: string;
  right: string;
  grants: readonly { access: string; effect: string; count: number }[];
  /** Counts up from here while running (ms since 1970). */
  since: number | null;
  /** Counts down to here while waiting. */
  until: number | null;
  badge: { severity: "error" | "warning"; count: number } | null;
  /** A marked place on the path of untrusted data. */
  mark: { text: string; place: "above" | "below" } | null;
  isTainted: boolean;
  /** What a proposed plan makes of it; one that would come is drawn, but is not there yet. */
  change?: Change;
  /** Read out by a screen reader. */
  label: string;
};

export type Change = "added" | "removed" | "changed" | "kept";

export type EdgeLook = "pending" | "done" | "running" | "loop" | "skipped" | "doubt" | "taint" | "added" | "removed";

export type CanvasEdge = {
  from: string;
  to: string;
  look: EdgeLook;
  /** Shown while selected: the inputs that it carries. */
  label: string;
};

export function edgeId(from: string, to: string): string {
  return `${from}→${to}`;
}
