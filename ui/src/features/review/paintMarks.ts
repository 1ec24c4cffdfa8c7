// Draws the scrubber's line with its marks on a canvas: diamonds for checkpoints, triangles for effects, crosses for failures.
import type { StretchView, TickView } from "../../ipc/bindings";
import { type Context, type Scene, stroke, xOf } from "./scene";

const ORDER: readonly TickView["kind"][] = ["checkpoint", "rewind", "effect", "failure"];

/** Diamonds closer together than that are notches. */
const APART = 8;

function notch(cx: Context, colour: string, x: number, y: number): void {
  cx.fillStyle = colour;
  cx.fillRect(Math.round(x), y - 3, 1, 6);
}

/** The scrubber: a line with its marks. Marks of a kind that fall together are one. */
export function paintMarks(
  cx: Context,
  scene: Scene,
  ticks: readonly TickView[],
  setAside: readonly StretchView[],
  isSmall: (tick: TickView) => boolean,
): void {
  const y = scene.height / 2;
  stroke(cx, scene.colours.line3, 1.5, [], 0, scene.width, y);
  for (const { after, before } of setAside) {
    const [x0, x1] = [xOf(scene, after), xOf(scene, before)];
    cx.fillStyle = scene.colours.app;
    cx.fillRect(x0, y - 2, x1 - x0, 4);
    stroke(cx, scene.colours.line3, 1.5, [1.5, 4], x0, x1, y);
  }
  for (const kind of ORDER) {
    let last = Number.NEGATIVE_INFINITY;
    let apart = last;
    for (const tick of ticks) {
      if (tick.kind !== kind) continue;
      const x = xOf(scene, tick.seq);
      if (x < -6 || x > scene.width + 6 || x - last < 3) continue;
      last = x;
      if (kind === "checkpoint" && (isSmall(tick) || x - apart < APART)) {
        notch(cx, scene.colours.t3, x, y);
        continue;
      }
      apart = x;
      mark(cx, scene, kind, Math.min(scene.width - 6, Math.max(6, x)), y);
    }
  }
}

export function mark(cx: Context, scene: Pick<Scene, "colours">, kind: TickView["kind"], x: number, y: number): void {
  const { colours } = scene;
  cx.beginPath();
  switch (kind) {
    case "checkpoint":
      path(cx, [x, y - 4.5, x + 4.5, y, x, y + 4.5, x - 4.5, y]);
      paintShape(cx, colours.panel, colours.t2);
      break;
    case "effect":
      path(cx, [x, y - 5, x + 5.5, y + 4.5, x - 5.5, y + 4.5]);
      paintShape(cx, colours.retrying, null);
      break;
    case "rewind":
      path(cx, [x + 4, y - 5, x - 4, y, x + 4, y + 5]);
      paintShape(cx, colours.accent, null);
      break;
    case "failure":
      cx.moveTo(x - 4, y - 4);
      cx.lineTo(x + 4, y + 4);
      cx.moveTo(x + 4, y - 4);
      cx.lineTo(x - 4, y + 4);
      cx.strokeStyle = colours.failed;
      cx.lineWidth = 2;
      cx.stroke();
  }
}

function path(cx: Context, points: readonly number[]): void {
  for (let ix = 0; ix < points.length; ix += 2) cx.lineTo(points[ix] ?? 0, points[ix + 1] ?? 0);
  cx.closePath();
}

function paintShape(cx: Context, fill: string, line: string | null): void {
  cx.fillStyle = fill;
  cx.fill();
  if (!line) return;
  cx.strokeStyle = line;
  cx.lineWidth = 1.5;
  cx.stroke();
}
