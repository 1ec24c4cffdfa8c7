// Rows of the time axis: one for each task, or one for each worker. Pure.
import type { SpanView, TickView, TimelineView, TrackView } from "../../ipc/bindings";

export type Bar = { span: SpanView; track: TrackView | null };

export type Row = {
  key: string;
  /** The task that the row is about; null for a worker and for the run itself. */
  task: string | null;
  track: TrackView | null;
  /** Which worker, counted from 0; null in rows of tasks. */
  lane: number | null;
  bars: Bar[];
  /** Work inside a map or a nested plan, drawn as thin lines in the row of its owner. */
  inner: Bar[];
};

export type Grouping = "tasks" | "workers";

export function rowsOf(line: TimelineView, by: Grouping): Row[] {
  return by === "tasks" ? rowsByTask(line) : rowsByWorker(line);
}

function rowsByTask(line: TimelineView): Row[] {
  const rows = new Map<number, Row>();
  const run: Row = { key: "run", task: null, track: null, lane: null, bars: [], inner: [] };
  line.tracks.forEach((track, ix) => {
    if (track.owner === null)
      rows.set(ix, { key: track.task, task: track.task, track, lane: null, bars: [], inner: [] });
  });
  for (const span of line.spans) {
    if (span.track === null) {
      run.bars.push({ span, track: null });
      continue;
    }
    const track = line.tracks[span.track] ?? null;
    const own = rows.get(span.track);
    if (own) own.bars.push({ span, track });
    else if (span.kind === "work") rows.get(outermost(line.tracks, span.track))?.inner.push({ span, track });
  }
  const first = (row: Row) => row.bars[0]?.span.from ?? Number.MAX_SAFE_INTEGER;
  const sorted = [...rows.values()].sort((a, b) => first(a) - first(b));
  return run.bars.length > 0 ? [run, ...sorted] : sorted;
}

function rowsByWorker(line: TimelineView): Row[] {
  const rows = Array.from({ length: line.lanes }, (_, lane): Row => {
    return { key: `worker-${lane}`, task: null, track: null, lane, bars: [], inner: [] };
  });
  for (const span of line.spans) {
    if (span.lane === null) continue;
    rows[span.lane]?.bars.push({ span, track: span.track === null ? null : (line.tracks[span.track] ?? null) });
  }
  return rows;
}

export function outermost(tracks: readonly TrackView[], ix: number): number {
  let at = ix;
  for (let track = tracks[at]; track && track.owner !== null; track = tracks[at]) at = track.owner;
  return at;
}

/** The next mark of a kind after (or before) a position; null where there is none. */
export function nextTick(ticks: readonly TickView[], seq: number, by: 1 | -1, kind: TickView["kind"]): number | null {
  const those = ticks.filter((tick) => tick.kind === kind);
  if (by > 0) return those.find((tick) => tick.seq > seq)?.seq ?? null;
  return those.findLast((tick) => tick.seq < seq)?.seq ?? null;
}

/** How many marks of a kind come after a position. */
export function later(ticks: readonly TickView[], seq: number, kind: TickView["kind"]): number {
  return ticks.filter((tick) => tick.kind === kind && tick.seq > seq).length;
}

/** Which checkpoint a position stands at, counted from 1; 0 before the first. */
export function checkpointOf(ticks: readonly TickView[], seq: number): number {
  return ticks.filter((tick) => tick.kind === "checkpoint" && tick.seq <= seq).length;
}

/** Where the run begins: its first approval. What came before was planning. */
export function beginningOf(ticks: readonly TickView[]): number {
  return ticks.find((tick) => tick.kind === "checkpoint" && tick.track === null)?.seq ?? 1;
}

/** To the beginning of the run, and from there to that of its log. */
export function homeOf(ticks: readonly TickView[], seq: number): number {
  const beginning = beginningOf(ticks);
  return seq > beginning ? beginning : 1;
}
