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
import { useDirection } from "./direction";
import type { Placing } from "./flow";
import { bringIn, fitted, LEAST, zoomAbout } from "./framing";
import type { ZoomLevel } from "./level";
import type { Point } from "./model";
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

const FAR = 0.6;
const ICON = 0.35;
const DOT = 0.22;
const NEAR = 1.3;
const MANY = 300;
/** A plan that opens is not made smaller than its cards can be told apart. */
const LEAST_AT_FIRST = 0.12;

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
  const setZoom = useZoom(box);

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
      setZoom(view.zoom);
    },
    [setZoom, memory],
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
