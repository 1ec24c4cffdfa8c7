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
  };
}

/** Room left free for the ruler, the tools above and the blocks below. */
const INSETS = {
  down: { left: 76, top: 62, right: 28, bottom: 62 },
  right: { left: 28, top: 104, right: 28, bottom: 62 },
};
const FAR = 0.6;
const ICON = 0.35;
const DOT = 0.22;
const NEAR = 1.3;
const MANY = 300;

export function useTextScale(): number {
  return typeof document === "undefined"
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
}

export function useViewport(
  box: RefObject<HTMLDivElement | null>,
  placing: Placing,
  handle: Ref<CanvasHandle> | undefined,
  pointer: RefObject<Point | null>,
) {
  const flow = useReactFlow<TaskFlowNode, PlanFlowEdge>();
  const [isReady, setReady] = useState(false);
  const touched = useRef(false);
  const now = useRef(placing);
  now.current = placing;
  const setZoom = useZoom(box);

  const fit = useCallback(
    (ids?: readonly string[]) => {
      const target = fitted(now.current, ids, box.current);
      if (target) flow.setViewport(target);
    },
    [flow, box],
  );
  const reveal = useCallback((ids: readonly string[]) => bringIn(ids, now.current, flow, box.current), [flow, box]);
  const toWorld = useCallback((client: Point) => flow.screenToFlowPosition(client, { snapToGrid: false }), [flow]);
  const zoomTo = useCallback((zoom: number) => zoomAtMiddle(flow, zoom, box.current), [flow, box]);

  useImperativeHandle(
    handle,
    () => ({
      fit,
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
      fit();
      requestAnimationFrame(() => requestAnimationFrame(() => setReady(true)));
    },
    [fit],
  );
  const onMove = useCallback(
    (event: MouseEvent | TouchEvent | null, view: Viewport) => {
      if (event) touched.current = true;
      setZoom(view.zoom);
    },
    [setZoom],
  );

  // A dragged card opens its panel, and what is under the pointer must not move away for it.
  const onDragStart = useCallback(() => {
    touched.current = true;
  }, []);

  useRefit(box, fit, touched, placing.places.size);
  const level = useLevel(placing.places.size);
  return useMemo(
    () => ({ isReady, level, onInit, onMove, onDragStart, reveal, toWorld }),
    [isReady, level, onInit, onMove, onDragStart, reveal, toWorld],
  );
}

/** Less than this is not seen while it goes on; what is left is made good when it rests. */
const FELT = 1.15;
const REST_MS = 90;

/**
 * Seldom: every card inherits it, so that setting it restyles them all. While a person zooms, what keeps its size in the
 * window may lag behind by a little.
 */
function useZoom(box: RefObject<HTMLElement | null>): (zoom: number) => void {
  return useMemo(() => {
    let shown = 0;
    let timer = 0;
    const show = (zoom: number) => {
      window.clearTimeout(timer);
      if (!box.current || zoom.toFixed(3) === shown.toFixed(3)) return;
      shown = zoom;
      box.current.style.setProperty("--zoom", zoom.toFixed(3));
    };
    return (zoom) => {
      if (shown === 0 || Math.max(zoom / shown, shown / zoom) > FELT) show(zoom);
      else {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => show(zoom), REST_MS);
      }
    };
  }, [box]);
}

/** Fits again when the panels around change, until the person has moved the view or a card. */
function useRefit(
  box: RefObject<HTMLDivElement | null>,
  fit: () => void,
  touched: RefObject<boolean>,
  tasks: number,
): void {
  useEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      if (!touched.current) fit();
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, fit, touched]);
  const isEmpty = tasks === 0;
  const direction = useDirection((s) => s.direction);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another direction is another drawing
  useEffect(() => {
    if (!isEmpty && !touched.current) fit();
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

function fitted(placing: Placing, ids: readonly string[] | undefined, box: HTMLElement | null): Viewport | null {
  const wanted = ids ? ids.flatMap((id) => placing.places.get(id) ?? []) : [...placing.places.values()];
  const inset = INSETS[directionNow()];
  if (!box || wanted.length === 0) return null;
  const { left, top, right, bottom } = boundsOf(wanted);
  const width = right + CARD.width - left;
  const height = bottom - top;
  const room = {
    width: box.clientWidth - inset.left - inset.right,
    height: box.clientHeight - inset.top - inset.bottom,
  };
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
  const zoom = Math.max(0.12, Math.min(scale, room.width / width, room.height / height));
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
  const inset = INSETS[directionNow()];
  if (places.length === 0 || !box) return;
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

function zoomAtMiddle(flow: Flow, zoom: number, box: HTMLElement | null): void {
  if (!box) return;
  const next = Math.min(3, Math.max(0.1, zoom));
  const view = flow.getViewport();
  const middle = { x: box.clientWidth / 2, y: box.clientHeight / 2 };
  const factor = next / view.zoom;
  flow.setViewport({
    x: middle.x - (middle.x - view.x) * factor,
    y: middle.y - (middle.y - view.y) * factor,
    zoom: next,
  });
}
