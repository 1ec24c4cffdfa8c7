// What is drawn on: the theme's colours, a canvas that is sharp on this screen, and its simplest strokes.
import { type Axis, placeOf, type Range } from "./axis";

export type Colours = Record<
  | "bar"
  | "onBar"
  | "app"
  | "t1"
  | "t2"
  | "t3"
  | "line"
  | "line3"
  | "panel"
  | "failed"
  | "failedFill"
  | "retrying"
  | "waiting"
  | "doubt"
  | "accent"
  | "tint",
  string
>;

const NAMES: Record<keyof Colours, string> = {
  bar: "--bar",
  onBar: "--on-bar",
  app: "--app",
  t1: "--t1",
  t2: "--t2",
  t3: "--t3",
  line: "--line",
  line3: "--line3",
  panel: "--panel",
  failed: "--failed",
  failedFill: "--b-failed",
  retrying: "--retrying",
  waiting: "--l-waiting",
  doubt: "--doubt",
  accent: "--accent",
  tint: "--accent-tint",
};

/** The theme's colours, as they are now. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, style.getPropertyValue(name).trim() || "gray"]),
  ) as Colours;
}

export type Scene = {
  axis: Axis;
  range: Range;
  width: number;
  height: number;
  /** Pixels of a row, and how far the rows are scrolled. */
  row: number;
  top: number;
  scale: number;
  colours: Colours;
  words: { waiting: string; doubt: string; replan: string };
};

export type Context = CanvasRenderingContext2D;

/** A context that draws sharp on this screen; null where there is none. */
export function contextOf(canvas: HTMLCanvasElement, width: number, height: number): Context | null {
  const dots = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * dots)), Math.max(1, Math.round(height * dots))];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const cx = canvas.getContext("2d");
  cx?.setTransform(dots, 0, 0, dots, 0, 0);
  cx?.clearRect(0, 0, width, height);
  return cx;
}

export function xOf(scene: Pick<Scene, "axis" | "range" | "width">, seq: number): number {
  return ((placeOf(scene.axis, seq) - scene.range.from) / (scene.range.to - scene.range.from)) * scene.width;
}

export function stroke(
  cx: Context,
  colour: string,
  width: number,
  dash: number[],
  x0: number,
  x1: number,
  y: number,
): void {
  cx.strokeStyle = colour;
  cx.lineWidth = width;
  cx.setLineDash(dash);
  cx.beginPath();
  cx.moveTo(x0, y);
  cx.lineTo(Math.max(x0 + 1, x1), y);
  cx.stroke();
  cx.setLineDash([]);
}

export function box(
  cx: Context,
  fill: string | null,
  line: string | null,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  cx.beginPath();
  cx.roundRect(
    line ? x + 0.5 : x,
    line ? y + 0.5 : y,
    line ? Math.max(2, w - 1) : w,
    line ? h - 1 : h,
    Math.min(3, w / 2),
  );
  if (fill) {
    cx.fillStyle = fill;
    cx.fill();
  }
  if (line) {
    cx.strokeStyle = line;
    cx.lineWidth = 1;
    cx.stroke();
  }
}
