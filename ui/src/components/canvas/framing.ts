// Which part of the canvas is in view: what fits, what is brought in, and about what the view grows. It draws nothing.
import type { ReactFlowInstance, Viewport } from "@xyflow/react";
import { directionNow } from "./direction";
import type { Placing } from "./flow";
import { CARD, type Place, type Point } from "./model";
import type { PlanFlowEdge } from "./PlanEdge";
import type { TaskFlowNode } from "./TaskNode";

/** How far the view goes. */
export const LEAST = 0.02;
export const MOST = 3;

export function textScale(): number {
  return typeof document === "undefined"
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
}

/** Room left free for the ruler, the tools above and the blocks below. */
const INSETS = {
  down: { left: 76, top: 62, right: 28, bottom: 62 },
  right: { left: 28, top: 104, right: 28, bottom: 62 },
};
/** Under this width, in pixels of the usual text size, the second row of tools stands under the first. */
const TWO_ROWS = 608;
const ROW = 44;

/** What stands on the canvas grows with the text. */
function insetsOf(box: HTMLElement) {
  const { left, top, right, bottom } = INSETS[directionNow()];
  const scale = textScale();
  const more = box.clientWidth < TWO_ROWS * scale && box.querySelector(".canvas-side") ? ROW : 0;
  return { left: left * scale, top: (top + more) * scale, right: right * scale, bottom: bottom * scale };
}

export function fitted(
  placing: Placing,
  ids: readonly string[] | undefined,
  box: HTMLElement | null,
  least: number,
): Viewport | null {
  const wanted = ids ? ids.flatMap((id) => placing.places.get(id) ?? []) : [...placing.places.values()];
  if (!box || wanted.length === 0) return null;
  const inset = insetsOf(box);
  const { left, top, right, bottom } = boundsOf(wanted);
  const width = right + CARD.width - left;
  const height = bottom - top;
  const room = {
    width: box.clientWidth - inset.left - inset.right,
    height: box.clientHeight - inset.top - inset.bottom,
  };
  const zoom = Math.max(least, Math.min(textScale(), room.width / width, room.height / height));
  const x = inset.left + (room.width - width * zoom) / 2 - left * zoom;
  const y = inset.top + Math.max(0, Math.min(24, (room.height - height * zoom) / 2)) - top * zoom;
  return { x: Math.round(x), y: Math.round(y), zoom };
}

/** A loop, because a plan may have more tasks than a call may have arguments. */
function boundsOf(points: readonly Place[]) {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, height = CARD.height } of points) {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.max(bounds.bottom, y + height);
  }
  return bounds;
}

type Flow = ReactFlowInstance<TaskFlowNode, PlanFlowEdge>;

export function bringIn(ids: readonly string[], placing: Placing, flow: Flow, box: HTMLElement | null): void {
  const places = ids.flatMap((id) => placing.places.get(id) ?? []);
  if (places.length === 0 || !box) return;
  const inset = insetsOf(box);
  const { x, y, zoom } = flow.getViewport();
  const all = boundsOf(places);
  const [left, top] = [all.left * zoom + x, all.top * zoom + y];
  const width = (all.right + CARD.width - all.left) * zoom;
  const height = (all.bottom - all.top) * zoom;
  const dx = shift(left, width, inset.left, box.clientWidth - inset.right);
  const dy = shift(top, height, inset.top, box.clientHeight - inset.bottom);
  if (dx !== 0 || dy !== 0) flow.setViewport({ x: x + dx, y: y + dy, zoom });
}

function shift(start: number, size: number, least: number, most: number): number {
  if (start < least) return least - start;
  return start + size > most ? Math.max(most - start - size, least - start) : 0;
}

/** About the middle of what is chosen, as far as it is in view, so that it stays there; else about the middle of the view. */
export function zoomAbout(
  flow: Flow,
  zoom: number,
  box: HTMLElement | null,
  placing: Placing,
  chosen: readonly string[],
): void {
  if (!box) return;
  const next = Math.min(MOST, Math.max(LEAST, zoom));
  const view = flow.getViewport();
  const held = middleOf(chosen, placing, view, box);
  const middle = held ?? { x: box.clientWidth / 2, y: box.clientHeight / 2 };
  const factor = next / view.zoom;
  const at = (now: number, pan: number) => now - (now - pan) * factor;
  flow.setViewport({ x: at(middle.x, view.x), y: at(middle.y, view.y), zoom: next });
  if (held) bringIn(chosen, placing, flow, box);
}

/** In pixels of the view; null where it lies outside. */
function middleOf(ids: readonly string[], placing: Placing, view: Viewport, box: HTMLElement): Point | null {
  const places = ids.flatMap((id) => placing.places.get(id) ?? []);
  if (places.length === 0) return null;
  const all = boundsOf(places);
  const x = ((all.left + all.right + CARD.width) / 2) * view.zoom + view.x;
  const y = ((all.top + all.bottom) / 2) * view.zoom + view.y;
  return x < 0 || y < 0 || x > box.clientWidth || y > box.clientHeight ? null : { x, y };
}
