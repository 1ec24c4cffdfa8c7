// What the canvas draws: plain values, made by the screens. It knows no plan document and no run.
import type { CardStatus } from "../marks/marks";

export const CARD = { width: 216, height: 72 };
/** A map holds its inner card, so it is two lines high; as wide as the others, so that columns stay columns. */
export const FRAME = { width: CARD.width, height: 144 };
/** Between cards: beside each other, from one wave to the next (of plans that run to the right: between them), between lines. */
export const GAP = { column: 24, wave: 104, columns: 56, line: 88, bus: 16 };
export const SNAP = 8;

export type Point = { x: number; y: number };
/** Where a card lies; a card of the usual height does not say it. */
export type Place = Point & { height?: number };
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
  /** What a screen says of the place beside the card: where outside text comes from, what it does at worst. */
  mark: { text: string; place: "above" | "below"; tone?: "off" } | null;
  isTainted: boolean;
  /** What a proposed plan makes of it; one that would come is drawn, but is not there yet. */
  change?: Change;
  /** What a map runs for each item, and how far its items are; null for all other kinds. */
  frame: MapFrame | null;
  /** Read out by a screen reader. */
  label: string;
  /** What became of it between two versions; kept ones have no mark. */
  diff?: DiffMark | null;
  /** In another run it came out differently. */
  differs?: boolean;
  /** A person holds its output. */
  isPinned?: boolean;
  /** Where the run stops at it. */
  stop?: "before" | "after" | "both" | null;
};

export type Change = "added" | "removed" | "changed" | "kept";

export type EdgeLook = "pending" | "done" | "running" | "loop" | "skipped" | "doubt" | "taint" | "added" | "removed";
export type MapFrame = {
  kind: string;
  title: string;
  detail: string;
  /** How many at a time; empty where nobody has said. */
  atATime: string;
  /** What becomes of the outputs, before there are items. */
  collects: string;
  items: Items | null;
};

/** The states of a map's items: one by one while they are few, else only how many are in each. */
export type Items = {
  count: number;
  over: number;
  cells: readonly CardStatus[];
  shares: readonly Share[];
  label: string;
};
export type Share = { status: CardStatus; count: number };

export function heightOf(kind: string): number {
  return kind === "map" ? FRAME.height : CARD.height;
}

export function placeOf(at: Point, height: number): Place {
  return height === CARD.height ? at : { x: at.x, y: at.y, height };
}

export type DiffMark = Change;

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
