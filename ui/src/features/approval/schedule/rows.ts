// From a dry run to rows of a chart: who stands where, in per cent of a scale that fits. Pure.
import type { DryRunView, NumberRange, PredictedView } from "../../../ipc/bindings";
import { t } from "../../../text";
import { digits } from "../../../text/format";
import { seconds, timeRange } from "../../../text/ranges";

export type Bar = {
  task: string;
  from: number;
  width: number;
  /** From the earliest start to the latest end, where that is known. */
  reach: { from: number; width: number } | null;
  isAssumed: boolean;
  asks: boolean;
  isOnPath: boolean;
};

export type Row = { key: string; label: string; bars: Bar[]; note: string };

/** Later ends than so many times what is drawn run out of the chart: bars must stay readable. */
const MOST_STRETCH = 4;

/** Seconds that the chart shows. */
export function scaleOf(run: DryRunView): number {
  const drawn = Math.max(0.001, ...run.tasks.map((task) => task.drawnTo));
  const latest = Math.max(drawn, ...run.tasks.map((task) => task.end.high ?? 0));
  return Math.min(latest, drawn * MOST_STRETCH);
}

/** In the order in which they are drawn to start. */
export function inOrder(run: DryRunView): PredictedView[] {
  return [...run.tasks].sort((a, b) => a.drawnFrom - b.drawnFrom || a.drawnTo - b.drawnTo || a.lane - b.lane);
}

export function rowsByTask(run: DryRunView, name: (id: string) => string): Row[] {
  const bar = barOf(run);
  return inOrder(run).map((task) => ({
    key: task.task,
    label: name(task.task),
    bars: [bar(task)],
    note: takes(task),
  }));
}

export function rowsByLane(run: DryRunView): Row[] {
  const bar = barOf(run);
  const rows = Array.from({ length: run.lanes }, (_, lane) => ({
    key: String(lane),
    label: t.schedule.slotName(lane + 1),
    bars: [] as Bar[],
    note: "",
  }));
  for (const task of inOrder(run)) rows[task.lane]?.bars.push(bar(task));
  return rows;
}

function barOf(run: DryRunView): (task: PredictedView) => Bar {
  const whole = scaleOf(run);
  const part = (value: number) => Math.min(100, (100 * value) / whole);
  const path = new Set(run.critical);
  return (task) => {
    const from = part(task.drawnFrom);
    const latest = task.end.high;
    return {
      task: task.task,
      from,
      width: part(task.drawnTo) - from,
      reach: latest === null ? null : { from: part(task.start.low), width: part(latest) - part(task.start.low) },
      isAssumed: task.isAssumed,
      asks: task.asks,
      isOnPath: path.has(task.task),
    };
  };
}

/** How long a task takes, in words. */
export function takes(task: PredictedView): string {
  if (task.asks) return t.schedule.you;
  if (task.isAssumed) return t.estimate.unknown;
  return `≈ ${seconds(task.drawnTo - task.drawnFrom)}`;
}

/** A moment in words: `at once`, `after 3 – 5 s`, `unknown`. */
export function moment(at: NumberRange): string {
  if (at.high === 0) return t.schedule.atStart;
  const text = timeRange(at);
  return text === t.estimate.unknown ? text : t.schedule.after(text);
}

/** Round steps of a scale, at most so many. */
export function ticksOf(whole: number, most: number): number[] {
  const rough = whole / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((n) => n * power);
  const step = [...steps, ...MINUTES].filter((s) => rough <= s && (s < 60 || s % 60 === 0)).sort((a, b) => a - b)[0];
  const by = step ?? rough;
  const ticks: number[] = [];
  for (let n = 0; n * by <= whole; n += 1) ticks.push(n * by);
  return ticks;
}

/** What stands at a tick, so that no two of them say the same. */
export function tickText(at: number, ticks: readonly number[]): string {
  const by = ticks[1] ?? 1;
  if (at === 0) return "0";
  return by < 0.1 ? `${digits(at * 1000, by < 0.001 ? 2 : 0)} ms` : seconds(at);
}

const MINUTES = [60, 120, 300, 600, 1200, 3600, 7200, 14_400, 36_000, 86_400];
