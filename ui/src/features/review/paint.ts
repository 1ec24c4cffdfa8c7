// Draws bars and marks on a canvas, whatever their number: what lies outside is passed over, what falls on one pixel is drawn
// once. It knows no state but what it is handed.
import type { Bar, Row } from "./rows";
import { box, type Context, type Scene, stroke, xOf } from "./scene";

export function paintRows(cx: Context, scene: Scene, rows: readonly Row[], ticks: readonly { place: number }[]): void {
  const first = Math.max(0, Math.floor(scene.top / scene.row));
  const last = Math.min(rows.length, Math.ceil((scene.top + scene.height) / scene.row));
  cx.strokeStyle = scene.colours.line;
  cx.lineWidth = 1;
  cx.beginPath();
  for (const { place } of ticks) {
    const x = Math.round(((place - scene.range.from) / (scene.range.to - scene.range.from)) * scene.width) + 0.5;
    cx.moveTo(x, 0);
    cx.lineTo(x, scene.height);
  }
  cx.stroke();
  paintChain(cx, scene, rows);
  for (let ix = first; ix < last; ix += 1) {
    const row = rows[ix];
    if (row) paintRow(cx, scene, row, ix * scene.row - scene.top);
  }
}

function paintRow(cx: Context, scene: Scene, row: Row, y: number): void {
  if (row.inner.length > 0) paintInner(cx, scene, row, y);
  let drawn = Number.NEGATIVE_INFINITY;
  for (const bar of row.bars) {
    const [x0, x1] = [xOf(scene, bar.span.from), xOf(scene, bar.span.to)];
    if (x1 < 0 || x0 > scene.width || (x1 <= drawn + 0.5 && row.bars.length > 200)) continue;
    drawn = x1;
    cx.globalAlpha = bar.span.isSetAside ? 0.35 : 1;
    paintBar(cx, scene, bar, Math.max(-2, x0), Math.min(scene.width + 2, x1), y, row.inner.length > 0);
    if (row.lane !== null && bar.track && bar.span.end !== "failed")
      say(cx, scene, bar.track.title, scene.colours.onBar, x0, x1 - x0, y + 14 * scene.scale, false);
    cx.globalAlpha = 1;
  }
}

function paintBar(cx: Context, scene: Scene, bar: Bar, x0: number, x1: number, y: number, isHolder: boolean): void {
  const { colours, scale } = scene;
  const [top, high] = [y + 7 * scale, 14 * scale];
  const wide = Math.max(3, x1 - x0);
  switch (bar.span.kind) {
    case "queue":
      stroke(cx, colours.line3, 1.5, [], x0, x1, top + high / 2);
      break;
    case "backoff":
      stroke(cx, colours.retrying, 2, [2, 3], x0, x1, top + high / 2);
      break;
    case "work":
      if (isHolder) box(cx, null, colours.bar, x0, top - 2, wide, high + 4);
      else if (bar.span.end !== "failed") box(cx, colours.bar, null, x0, top, wide, high);
      else {
        box(cx, colours.failedFill, colours.failed, x0, top, wide, high);
        failure(cx, scene, bar, x0, wide, top, high);
      }
      break;
    case "person":
      hatch(cx, scene, colours.waiting, x0, top, wide, high);
      say(cx, scene, scene.words.waiting, colours.t1, x0, wide, top + high / 2, true);
      break;
    case "doubt":
      cx.setLineDash([2, 2]);
      box(cx, null, colours.doubt, x0, top, wide, high);
      cx.setLineDash([]);
      say(cx, scene, scene.words.doubt, colours.doubt, x0, wide, top + high / 2, false);
      break;
    case "replan":
      box(cx, colours.tint, colours.accent, x0, top, wide, high);
      say(cx, scene, scene.words.replan, colours.accent, x0, wide, top + high / 2, false);
      break;
  }
}

function failure(cx: Context, scene: Scene, bar: Bar, x: number, w: number, y: number, h: number): void {
  cx.strokeStyle = scene.colours.failed;
  cx.lineWidth = 1.5;
  if (w > 14) {
    const [mx, my, r] = [x + w - 8, y + h / 2, 2.5];
    cx.beginPath();
    cx.moveTo(mx - r, my - r);
    cx.lineTo(mx + r, my + r);
    cx.moveTo(mx + r, my - r);
    cx.lineTo(mx - r, my + r);
    cx.stroke();
  }
  const text = [bar.span.attempt, bar.span.code].filter(Boolean).join(", ");
  font(cx, scene);
  if (cx.measureText(text).width < w - 24) {
    cx.fillStyle = scene.colours.failed;
    cx.textAlign = "left";
    cx.fillText(text, x + 6, y + h / 2 + 0.5);
  }
}

function hatch(cx: Context, scene: Scene, colour: string, x: number, y: number, w: number, h: number): void {
  cx.save();
  cx.beginPath();
  cx.roundRect(x + 0.5, y + 0.5, Math.max(2, w - 1), h - 1, Math.min(3, w / 2));
  cx.clip();
  cx.strokeStyle = colour;
  cx.globalAlpha *= 0.55;
  cx.lineWidth = 2.4;
  cx.beginPath();
  const from = Math.max(x, 0) - h;
  for (let at = from - (from % 8); at < Math.min(x + w, scene.width) + h; at += 8) {
    cx.moveTo(at, y + h);
    cx.lineTo(at + h, y);
  }
  cx.stroke();
  cx.restore();
  box(cx, null, colour, x, y, w, h);
}

function font(cx: Context, scene: Scene): void {
  cx.font = `${11 * scene.scale}px Inter Variable, Inter, system-ui, sans-serif`;
  cx.textBaseline = "middle";
}

/** A word in the middle of a bar, where it fits. */
function say(
  cx: Context,
  scene: Scene,
  text: string,
  colour: string,
  x: number,
  w: number,
  y: number,
  isOver: boolean,
) {
  font(cx, scene);
  const room = cx.measureText(text).width + 12;
  const [from, to] = [Math.max(0, x), Math.min(scene.width, x + w)];
  if (room > to - from - 8) return;
  const middle = (from + to) / 2;
  if (isOver) {
    cx.fillStyle = scene.colours.panel;
    cx.fillRect(middle - room / 2, y - 6.5 * scene.scale, room, 13 * scene.scale);
  }
  cx.fillStyle = colour;
  cx.textAlign = "center";
  cx.fillText(text, middle, y + 0.5);
}

const INNER_LINES = 5;

/** What a map or a nested plan has inside, as thin lines by worker. */
function paintInner(cx: Context, scene: Scene, row: Row, y: number): void {
  const ends = new Map<string, number>();
  const pitch = (17 * scene.scale) / INNER_LINES;
  for (const { span } of row.inner) {
    const [x0, x1] = [xOf(scene, span.from), xOf(scene, span.to)];
    if (x1 < 0 || x0 > scene.width) continue;
    const line = (span.lane ?? 0) % INNER_LINES;
    const key = `${line}${span.end === "failed"}`;
    if (x1 <= (ends.get(key) ?? Number.NEGATIVE_INFINITY) + 0.5) continue;
    ends.set(key, x1);
    cx.globalAlpha = span.isSetAside ? 0.35 : 1;
    cx.fillStyle = span.end === "failed" ? scene.colours.failed : scene.colours.bar;
    cx.fillRect(x0, y + 6.5 * scene.scale + line * pitch, Math.max(1.5, x1 - x0 - 0.6), Math.max(1.5, pitch - 1.4));
  }
  cx.globalAlpha = 1;
}

/** The chain that the end waited for: a line under each of its bars, dots from one to the next. */
function paintChain(cx: Context, scene: Scene, rows: readonly Row[]): void {
  let before: { x: number; y: number } | null = null;
  rows.forEach((row, ix) => {
    if (!row.track?.isCritical) return;
    const spans = row.bars.filter(({ span }) => !span.isSetAside && span.kind !== "queue");
    const [first, last] = [spans[0], spans[spans.length - 1]];
    if (!first || !last) return;
    const y = ix * scene.row - scene.top + 25 * scene.scale;
    const [x0, x1] = [xOf(scene, first.span.from), xOf(scene, last.span.to)];
    if (before && y > 0 && before.y < scene.height) dots(cx, scene, before.x, before.y, y);
    if (y > 0 && y < scene.height + scene.row) stroke(cx, scene.colours.t1, 2, [], x0, Math.max(x0 + 3, x1), y);
    before = { x: x1, y };
  });
}

function dots(cx: Context, scene: Scene, x: number, y0: number, y1: number): void {
  cx.strokeStyle = scene.colours.t2;
  cx.lineWidth = 1;
  cx.setLineDash([2, 2]);
  cx.beginPath();
  cx.moveTo(Math.round(x) + 0.5, y0);
  cx.lineTo(Math.round(x) + 0.5, y1);
  cx.stroke();
  cx.setLineDash([]);
}
