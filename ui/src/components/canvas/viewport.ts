// The window onto the canvas: fit, zoom, bring into view, zoom level. Kept apart from what is drawn.
import { type ReactFlowInstance, useReactFlow, useStore, type Viewport } from "@xyflow/react";
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import type { KeyMap } from "../controls/keys";
import { directionNow, useDirection } from "./direction";
import type { Placing } from "./flow";
import type { ZoomLevel } from "./level";
import { CARD, type Place, type Point } from "./model";
import type { PlanFlowEdge } from "./PlanEdge";
import type { TaskFlowNode } from "./TaskNode";

export type CanvasHandle = {
  fit: (ids?: readonly string[]) => void;
  /** Only what is chosen. */
  fitChosen: () => void;
  zoom: (factor: number) => void;
  zoomTo: (zoom: number) => void;
  reveal: (ids: readonly string[]) => void;
  toWorld: (client: Point) => Point;
  toClient: (world: Point) => Point;
  zoomNow: () => number;
  /** Where on the canvas the pointer is; null where it is elsewhere. */
  pointer: () => Point | null;
  focus: () => void;
};

/** The keys of every canvas. */
export function zoomKeys(canvas: RefObject<CanvasHandle | null>): KeyMap {
  return {
    "ctrl+=": () => canvas.current?.zoom(1.25),
    "ctrl++": () => canvas.current?.zoom(1.25),
    "ctrl+-": () => canvas.current?.zoom(0.8),
    "ctrl+0": () => canvas.current?.zoomTo(1),
    "shift+1": () => canvas.current?.fit(),
    "shift+2": () => canvas.current?.fitChosen(),
  };
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
const FAR = 0.6;
const ICON = 0.35;
const DOT = 0.22;
const NEAR = 1.3;
const MANY = 300;
/** How far the view goes. A plan that opens is not made smaller than its cards can be told apart. */
export const LEAST = 0.02;
export const MOST = 3;
const LEAST_AT_FIRST = 0.12;

export function textScale(): number {
  return typeof document === "undefined"
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
}

export function useViewport(
  box: RefObject<HTMLDivElement | null>,
  placing: Placing,
  handle: Ref<CanvasHandle> | undefined,
  pointer: RefObject<Point | null>,
  chosen: readonly string[],
  memory: string | undefined,
) {
  const flow = useReactFlow<TaskFlowNode, PlanFlowEdge>();
  const [isReady, setReady] = useState(false);
  const touched = useRef(false);
  const now = useRef(placing);
  now.current = placing;
  const picked = useRef(chosen);
  picked.current = chosen;

  const fit = useCallback(
    (ids?: readonly string[], least = LEAST) => {
      const target = fitted(now.current, ids, box.current, least);
      if (target) flow.setViewport(target);
    },
    [flow, box],
  );
  const reveal = useCallback((ids: readonly string[]) => bringIn(ids, now.current, flow, box.current), [flow, box]);
  const pan = useCallback(
    (dx: number, dy: number) => {
      const { x, y, zoom } = flow.getViewport();
      touched.current = true;
      flow.setViewport({ x: x + dx, y: y + dy, zoom });
    },
    [flow],
  );
  const toWorld = useCallback((client: Point) => flow.screenToFlowPosition(client, { snapToGrid: false }), [flow]);
  const zoomTo = useCallback(
    (zoom: number) => {
      touched.current = true;
      zoomAbout(flow, zoom, box.current, now.current, picked.current);
    },
    [flow, box],
  );

  useImperativeHandle(
    handle,
    () => ({
      fit,
      fitChosen: () => fit(picked.current),
      reveal,
      toWorld,
      zoomTo,
      zoom: (factor) => zoomTo(flow.getZoom() * factor),
      zoomNow: () => flow.getZoom(),
      toClient: (world) => flow.flowToScreenPosition(world),
      pointer: () => (pointer.current ? toWorld(pointer.current) : null),
      focus: () => box.current?.querySelector<HTMLElement>(".react-flow")?.focus(),
    }),
    [fit, reveal, toWorld, zoomTo, flow, box, pointer],
  );

  const onInit = useCallback(
    (_: ReactFlowInstance<TaskFlowNode, PlanFlowEdge>) => {
      const before = memory === undefined ? undefined : remembered.get(memory);
      if (before && now.current.places.size > 0) {
        touched.current = true;
        flow.setViewport(before);
      } else fit(undefined, LEAST_AT_FIRST);
      requestAnimationFrame(() => requestAnimationFrame(() => setReady(true)));
    },
    [fit, flow, memory],
  );
  const onMove = useCallback(
    (event: MouseEvent | TouchEvent | null, view: Viewport) => {
      if (event) touched.current = true;
      if (memory !== undefined && touched.current) keepView(memory, view);
      setZoom(box.current, view.zoom);
    },
    [box, memory],
  );

  // A dragged card opens its panel, and what is under the pointer must not move away for it.
  const onDragStart = useCallback(() => {
    touched.current = true;
  }, []);

  useRefit(box, fit, touched, placing.places.size);
  const level = useLevel(placing.places.size);
  return useMemo(
    () => ({ isReady, level, onInit, onMove, onDragStart, reveal, pan, toWorld }),
    [isReady, level, onInit, onMove, onDragStart, reveal, pan, toWorld],
  );
}

/** What a person has brought into view of each canvas, the latest last. */
const remembered = new Map<string, Viewport>();
const MOST_REMEMBERED = 60;

function keepView(canvas: string, view: Viewport): void {
  remembered.delete(canvas);
  remembered.set(canvas, view);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

/** Only when it changes: every card inherits it, so that setting it restyles them all. */
function setZoom(box: HTMLElement | null, zoom: number): void {
  const text = zoom.toFixed(3);
  if (box && box.dataset.zoom !== text) {
    box.dataset.zoom = text;
    box.style.setProperty("--zoom", text);
  }
}

/** Fits again when the panels around change, until the person has moved the view or a card. */
function useRefit(
  box: RefObject<HTMLDivElement | null>,
  fit: (ids?: readonly string[], least?: number) => void,
  touched: RefObject<boolean>,
  tasks: number,
): void {
  useEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      if (!touched.current) fit(undefined, LEAST_AT_FIRST);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, fit, touched]);
  const isEmpty = tasks === 0;
  const direction = useDirection((s) => s.direction);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another direction is another drawing
  useEffect(() => {
    if (!isEmpty && !touched.current) fit(undefined, LEAST_AT_FIRST);
  }, [isEmpty, fit, touched, direction]);
}

function useLevel(tasks: number): ZoomLevel {
  return useStore((s) => {
    const zoom = s.transform[2];
    if (zoom < ICON) return tasks > MANY && zoom < DOT ? "dot" : "icon";
    if (zoom < FAR) return "far";
    if (tasks > MANY && zoom < 0.8) return "far";
    return zoom > NEAR ? "near" : "mid";
  });
}

function fitted(
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

function bringIn(ids: readonly string[], placing: Placing, flow: Flow, box: HTMLElement | null): void {
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
function zoomAbout(
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
