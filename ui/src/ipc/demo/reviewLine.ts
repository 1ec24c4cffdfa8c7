// The time axis of a played run in the demo host, told from its events.
import type { CostView, EventView, SpanView, TickView, TimelineView } from "../bindings";
import { textOf } from "../json";
import type { DemoRun } from "./play";
import { dependenciesOf, type tasksOf } from "./ways";

export const FREE: CostView = { calls: 0, inputTokens: 0, outputTokens: 0, usd: "0", unknown: 0, guessed: 0 };

/** Of tasks that ask a model, as a recording has it. */
export function costOf(type: string): CostView {
  if (type === "agent") return { ...FREE, calls: 3, inputTokens: 9420, outputTokens: 1180, usd: "0.038" };
  return type === "model" ? { ...FREE, calls: 1, inputTokens: 6100, outputTokens: 2210, usd: "0.061" } : FREE;
}

export function sum(costs: readonly CostView[]): CostView {
  const all = { ...FREE };
  for (const one of costs) {
    all.calls += one.calls;
    all.inputTokens = (all.inputTokens ?? 0) + (one.inputTokens ?? 0);
    all.outputTokens = (all.outputTokens ?? 0) + (one.outputTokens ?? 0);
    all.usd = String(Number((Number(all.usd) + Number(one.usd)).toFixed(6)));
  }
  return all;
}

export function timelineOf(run: DemoRun, docs: ReturnType<typeof tasksOf>): TimelineView {
  const events = run.events;
  const origin = events[0]?.at ?? 0;
  const at = events.map((event) => (event.at ?? origin) - origin);
  const index = new Map(docs.map((doc, ix) => [textOf(doc.id), ix]));
  const spans: SpanView[] = [];
  const ticks: TickView[] = [{ seq: 1, kind: "checkpoint", track: null }];
  const open = new Map<number, SpanView>();
  const lanes: (number | null)[] = [];
  const begin = (track: number, kind: SpanView["kind"], seq: number, attempt: number) => {
    const free = kind === "work" ? lanes.indexOf(null) : -1;
    const lane = kind !== "work" ? null : free < 0 ? lanes.push(track) - 1 : free;
    if (lane !== null) lanes[lane] = track;
    const span: SpanView = {
      track,
      kind,
      from: seq,
      to: events.length,
      end: "open",
      attempt,
      lane,
      code: null,
      isSetAside: false,
    };
    spans.push(span);
    open.set(track, span);
  };
  const end = (track: number, seq: number, how: SpanView["end"], code: string | null = null) => {
    const span = open.get(track);
    if (!span) return;
    Object.assign(span, { to: seq, end: how, code });
    if (span.lane !== null) lanes[span.lane] = null;
    open.delete(track);
  };
  const attempts = new Map<number, number>();
  for (const event of events) {
    if (event.kind === "run_rewound") {
      ticks.push({ seq: event.seq, kind: "rewind", track: null });
      for (const track of [...open.keys()]) end(track, event.seq - 1, "left");
    }
    const track = event.task === null ? undefined : index.get(event.task);
    if (track === undefined) continue;
    take(event, track);
  }
  function take(event: EventView, track: number): void {
    const isWrite = docs[track]?.tool === "file.write";
    if (event.kind === "task_started") {
      end(track, event.seq, "left");
      attempts.set(track, (attempts.get(track) ?? 0) + 1);
      begin(track, "work", event.seq, attempts.get(track) ?? 1);
      if (isWrite) ticks.push({ seq: event.seq, kind: "effect", track });
    } else if (event.kind === "task_retrying") {
      end(track, event.seq, "failed", "transient");
      ticks.push({ seq: event.seq, kind: "failure", track });
      begin(track, "backoff", event.seq, 0);
    } else if (event.kind === "decision_opened") begin(track, "person", event.seq, 0);
    else if (event.kind === "task_completed") {
      end(track, event.seq, "done");
      ticks.push({ seq: event.seq, kind: "checkpoint", track });
    }
  }
  const critical = criticalOf(docs, spans);
  const time = (seq: number) => at[seq - 1] ?? 0;
  const taken = (track: number, kind: SpanView["kind"]) =>
    spans.filter((s) => s.track === track && s.kind === kind).reduce((all, s) => all + time(s.to) - time(s.from), 0);
  const tracks = docs.map((doc, ix) => ({
    task: textOf(doc.id),
    title: textOf(doc.title) || textOf(doc.id),
    taskType: textOf(doc.task_type),
    owner: null,
    isCritical: critical.has(ix),
    workMs: taken(ix, "work"),
    personMs: taken(ix, "person"),
    cost: run.outputs.has(textOf(doc.id)) ? costOf(textOf(doc.task_type)) : FREE,
  }));
  return {
    row: run.row(),
    head: events.length,
    origin,
    at,
    tracks,
    spans,
    ticks,
    lanes: lanes.length,
    leftOff: 0,
    setAside: [],
    bill: billOf(tracks, spans),
  };
}

const MODEL = "anthropic/claude-haiku-4-5";

function billOf(tracks: TimelineView["tracks"], spans: readonly SpanView[]): TimelineView["bill"] {
  const whole = sum(tracks.map((track) => track.cost));
  const turns = tracks
    .filter((track) => track.cost.calls > 0)
    .map((track) => ({
      seq: spans.find((span) => tracks[span.track ?? -1] === track)?.from ?? 1,
      task: track.task,
      role: "executor",
      model: MODEL,
      turn: 1,
      cost: track.cost,
    }));
  const rows = (name: string) => (whole.calls > 0 ? [{ name, cost: whole }] : []);
  return { whole, models: rows(MODEL), roles: rows("executor"), turns, turnsLeftOff: 0 };
}

/** From what ended last back to what ended last before it. */
function criticalOf(docs: ReturnType<typeof tasksOf>, spans: readonly SpanView[]): Set<number> {
  const index = new Map(docs.map((doc, ix) => [textOf(doc.id), ix]));
  const ends = new Map<number, number>();
  for (const span of spans) if (span.track !== null) ends.set(span.track, Math.max(ends.get(span.track) ?? 0, span.to));
  const last = (those: readonly number[]) =>
    those.filter((ix) => ends.has(ix)).sort((a, b) => (ends.get(b) ?? 0) - (ends.get(a) ?? 0))[0];
  const found = new Set<number>();
  for (let at = last([...ends.keys()]); at !== undefined && !found.has(at); ) {
    found.add(at);
    const doc = docs[at];
    at = last(doc ? dependenciesOf(doc).map((id) => index.get(id) ?? -1) : []);
  }
  return found;
}
