// The small map at the bottom right: one canvas, redrawn at most four times a second; drag on it to move the view.
// A pointer's convenience: the keyboard has fit, arrows and zoom, so it is hidden from screen readers.
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useCallback, useEffect, useRef } from "react";
import { STATUS_TONE } from "../marks/marks";
import type { Placing } from "./flow";
import { CARD, type CanvasTask } from "./model";

const SIZE = { width: 136, height: 92 };
const EDGE = 8;
const REDRAW_MS = 250;

type Props = { tasks: readonly CanvasTask[]; placing: Placing; selected: readonly string[]; bottom: number };
type Frame = { scale: number; x: number; y: number };

export function MiniMap({ tasks, placing, selected, bottom }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<Frame>({ scale: 1, x: 0, y: 0 });
  const store = useStoreApi();
  const flow = useReactFlow();

  const latest = useRef({ tasks, placing, selected });
  latest.current = { tasks, placing, selected };
  const soon = useRef<() => void>(() => undefined);
  useEffect(() => {
    let timer = 0;
    const draw = () => {
      timer = 0;
      const { tasks, placing, selected } = latest.current;
      if (canvas.current) frame.current = paint(canvas.current, tasks, placing, selected, store.getState());
    };
    soon.current = () => {
      if (timer === 0) timer = window.setTimeout(draw, REDRAW_MS);
    };
    draw();
    const unsubscribe = store.subscribe(() => soon.current());
    const observer = new MutationObserver(draw);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      unsubscribe();
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, [store]);
  // While a card is dragged its place changes with every frame.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what is drawn
  useEffect(() => soon.current(), [tasks, placing, selected]);

  const go = useCallback(
    (event: PointerEvent<HTMLCanvasElement>) => {
      if (event.buttons !== 1) return;
      const box = event.currentTarget.getBoundingClientRect();
      const { scale, x, y } = frame.current;
      const factor = SIZE.width / box.width;
      const world = {
        x: ((event.clientX - box.left) * factor - x) / scale,
        y: ((event.clientY - box.top) * factor - y) / scale,
      };
      flow.setCenter(world.x, world.y, { zoom: flow.getZoom() });
    },
    [flow],
  );
  return (
    <canvas
      ref={canvas}
      className="minimap"
      data-testid="minimap"
      style={{ bottom: `${14 + bottom}px` }}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    />
  );
}

type View = { transform: [number, number, number]; width: number; height: number };

function paint(
  canvas: HTMLCanvasElement,
  tasks: readonly CanvasTask[],
  { places }: Placing,
  selected: readonly string[],
  view: View,
): Frame {
  const context = canvas.getContext?.("2d");
  const frame = frameOf(places);
  if (!context) return frame;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = SIZE.width * ratio;
  canvas.height = SIZE.height * ratio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colour = coloursOf(canvas);
  const chosen = new Set(selected);
  for (const task of tasks) {
    const place = places.get(task.id);
    if (!place) continue;
    context.fillStyle = chosen.has(task.id) ? colour("accent") : colour(fillOf(task));
    const [width, height] = [
      Math.max(2, CARD.width * frame.scale),
      Math.max(1.5, (place.height ?? CARD.height) * frame.scale),
    ];
    context.fillRect(place.x * frame.scale + frame.x, place.y * frame.scale + frame.y, width, height);
  }
  const [tx, ty, zoom] = view.transform;
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  const left = (-tx / zoom) * frame.scale + frame.x;
  const top = (-ty / zoom) * frame.scale + frame.y;
  context.strokeRect(
    Math.max(3, left),
    Math.max(3, top),
    Math.min(SIZE.width - 6, (view.width / zoom) * frame.scale),
    Math.min(SIZE.height - 6, (view.height / zoom) * frame.scale),
  );
  return frame;
}

function fillOf(task: CanvasTask): string {
  if (task.isTainted) return "taint";
  if (task.badge) return task.badge.severity === "error" ? "failed" : "retrying";
  const tone = STATUS_TONE[task.status];
  return ["running", "retrying", "waiting", "doubt", "completed", "failed"].includes(tone) ? tone : "mini";
}

function coloursOf(element: HTMLElement): (token: string) => string {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (token) => {
    const value = known.get(token) ?? style.getPropertyValue(`--${token}`).trim();
    known.set(token, value);
    return value;
  };
}

function frameOf(places: Placing["places"]): Frame {
  let [left, top, right, bottom] = [0, 0, CARD.width, CARD.height];
  let first = true;
  for (const p of places.values()) {
    left = first ? p.x : Math.min(left, p.x);
    top = first ? p.y : Math.min(top, p.y);
    right = first ? p.x + CARD.width : Math.max(right, p.x + CARD.width);
    const end = p.y + (p.height ?? CARD.height);
    bottom = first ? end : Math.max(bottom, end);
    first = false;
  }
  const scale = Math.min((SIZE.width - 2 * EDGE) / (right - left), (SIZE.height - 2 * EDGE) / (bottom - top), 0.14);
  return {
    scale,
    x: (SIZE.width - (right - left) * scale) / 2 - left * scale,
    y: (SIZE.height - (bottom - top) * scale) / 2 - top * scale,
  };
}
