// Where a moment lies on the time axis. Long stretches in which nothing was at work are cut short, so that a night of waiting
// does not hide the minutes of work. Pure; in milliseconds from the axis' origin.
import type { SpanView, TimelineView } from "../../ipc/bindings";
import { clock } from "../../text/format";

/** A stretch that is drawn shorter than it was. */
export type Cut = { from: number; to: number; drawn: number };

export type Axis = { length: number; cuts: readonly Cut[]; at: readonly number[] };

/** What is looked at of it, in drawn milliseconds. */
export type Range = { from: number; to: number };

/** Idle stretches longer than so much of all work are cut to that share of it. */
const LONG = 1.5;
const SHORT = 0.25;
const LEAST_LONG = 60_000;

export function axisOf(line: TimelineView): Axis {
  const at = line.at.map((ms) => ms ?? 0);
  const busy = busyStretches(line.spans, at);
  const worked = busy.reduce((sum, [from, to]) => sum + to - from, 0);
  const long = Math.max(LEAST_LONG, worked * LONG);
  const cuts: Cut[] = [];
  const end = at[at.length - 1] ?? 0;
  let last = 0;
  for (const [from, to] of [...busy, [end, end] as const]) {
    if (from - last > long) cuts.push({ from: last, to: from, drawn: Math.max(worked * SHORT, LEAST_LONG / 4) });
    last = Math.max(last, to);
  }
  const axis = { length: 0, cuts, at };
  return { ...axis, length: Math.max(1, drawnOf(axis, end)) };
}

/** Stretches in which somebody was at work, joined. */
function busyStretches(spans: readonly SpanView[], at: readonly number[]): [number, number][] {
  const time = (seq: number) => at[seq - 1] ?? 0;
  const found = spans
    .filter(
      (span) => span.kind === "work" || span.kind === "backoff" || span.kind === "queue" || span.kind === "replan",
    )
    .map((span): [number, number] => [time(span.from), time(span.to)])
    .sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [from, to] of found) {
    const last = joined[joined.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function drawnOf(axis: Pick<Axis, "cuts">, ms: number): number {
  let drawn = ms;
  for (const cut of axis.cuts) {
    if (ms <= cut.from) break;
    const passed = Math.min(ms, cut.to) - cut.from;
    drawn -= passed - (passed / (cut.to - cut.from)) * cut.drawn;
  }
  return drawn;
}

export function realOf(axis: Pick<Axis, "cuts">, drawn: number): number {
  let ms = drawn;
  for (const cut of axis.cuts) {
    if (ms <= cut.from) break;
    const within = Math.min(cut.drawn, ms - cut.from);
    ms += (within / cut.drawn) * (cut.to - cut.from) - within;
  }
  return ms;
}

/** Drawn place of an event. */
export function placeOf(axis: Axis, seq: number): number {
  return drawnOf(axis, axis.at[seq - 1] ?? 0);
}

/** The last event that had happened by then. */
export function seqAt(axis: Axis, drawn: number): number {
  const ms = realOf(axis, drawn);
  let [low, high] = [0, axis.at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((axis.at[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

export function wholeOf(axis: Axis): Range {
  return { from: 0, to: axis.length };
}

const LEAST_RANGE = 20;

/** Larger or smaller around one place, which stays where it is. */
export function zoomed(range: Range, by: number, around: number, length: number): Range {
  const width = Math.min(length, Math.max(Math.min(length, LEAST_RANGE), (range.to - range.from) / by));
  const share = (around - range.from) / Math.max(1, range.to - range.from);
  return within({ from: around - share * width, to: around - share * width + width }, length);
}

export function within(range: Range, length: number): Range {
  const width = Math.min(length, range.to - range.from);
  const from = Math.min(Math.max(0, range.from), length - width);
  return { from, to: from + width };
}

/** The range moved just as far that the place is in it. */
export function showing(range: Range, place: number, length: number): Range {
  const width = range.to - range.from;
  const edge = width * 0.05;
  if (place < range.from) return within({ from: place - edge, to: place - edge + width }, length);
  if (place > range.to) return within({ from: place + edge - width, to: place + edge }, length);
  return range;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 43_200_000, 86_400_000,
];

/** Round moments of the range, at most so many, with what stands at each. */
export function ticksOf(axis: Axis, range: Range, most: number): { place: number; text: string }[] {
  const rough = (range.to - range.from) / Math.max(1, most);
  const step = STEPS.find((s) => s >= rough) ?? STEPS[STEPS.length - 1] ?? rough;
  const [from, to] = [realOf(axis, range.from), realOf(axis, range.to)];
  const ticks: { place: number; text: string }[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let ms = Math.ceil(from / step) * step; ms <= to; ms += step) {
    const cut = axis.cuts.find((c) => ms > c.from && ms < c.to);
    if (cut) {
      ms = Math.floor(cut.to / step) * step;
      continue;
    }
    const place = drawnOf(axis, ms);
    if (place - last < rough * 0.6) continue;
    last = place;
    ticks.push({ place, text: step < 1000 ? fine(ms, step) : clock(ms) });
  }
  return ticks;
}

function fine(ms: number, step: number): string {
  const digits = step >= 100 ? 1 : step >= 10 ? 2 : 3;
  return `${clock(ms)}.${String(Math.round(ms % 1000))
    .padStart(3, "0")
    .slice(0, digits)}`;
}
