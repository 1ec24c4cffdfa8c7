// Estimates and dry runs of the demo host: what tasks of each kind took when the sample was recorded, put one after the other
// along the plan. Models have no price here, so what they cost is unknown, as it would be.
import type { DryRunView, EstimateView, NumberRange, PredictedView, TaskEstimateView } from "../bindings";
import { type Json, type JsonObject, textOf } from "../json";
import { dependenciesOf, tasksOf } from "./ways";

/** Seconds by tool or kind, from the least over what is likely to the most. */
const RECORDED: Record<string, [number, number, number]> = {
  "csv.read": [0.2, 0.4, 0.9],
  "sql.query": [0.4, 0.6, 1.4],
  "http.get": [0.6, 1.1, 6],
  "text.template": [0.05, 0.1, 0.2],
  "file.write": [0.1, 0.2, 0.4],
  code: [0.3, 0.5, 1.2],
};
const RUNS = 3;
const TOKENS: Record<string, [number, number, number]> = { model: [320, 1_600, 6_300], agent: [320, 12_000, 180_000] };
const CALLS: Record<string, [number, number, number]> = { model: [1, 1, 1], agent: [1, 4, 12] };
const NOTHING: NumberRange = { low: 0, likely: 0, high: 0 };
const UNKNOWN: NumberRange = { low: 0, likely: null, high: null };

const range = (all: [number, number, number] | undefined): NumberRange | null =>
  all ? { low: all[0], likely: all[1], high: all[2] } : null;

/** What is held is not executed, and asks nobody. */
function heldEstimate(task: JsonObject): TaskEstimateView {
  const usd = { low: "0", likely: "0", high: "0" };
  return { task: textOf(task.id), usd, seconds: NOTHING, tokens: NOTHING, calls: NOTHING, runs: 0, asks: false };
}

function taskEstimate(task: JsonObject): TaskEstimateView {
  const kind = textOf(task.task_type) || "agent";
  const isModel = kind === "agent" || kind === "model";
  const seconds = kind === "human" ? NOTHING : range(RECORDED[kind === "tool" ? textOf(task.tool) : kind]);
  return {
    task: textOf(task.id),
    usd: isModel ? { low: "0", likely: null, high: null } : { low: "0", likely: "0", high: "0" },
    seconds: seconds ?? UNKNOWN,
    tokens: range(TOKENS[kind]) ?? NOTHING,
    calls: range(CALLS[kind]) ?? NOTHING,
    runs: seconds && kind !== "human" ? RUNS : 0,
    asks: kind === "human",
  };
}

type Ends = { start: NumberRange; end: NumberRange; before: string | null };

/** When each task starts and ends; there are always enough slots for a plan of the demo. */
function played(tasks: readonly JsonObject[], estimates: Map<string, TaskEstimateView>): Map<string, Ends> {
  const byId = new Map(tasks.map((task) => [textOf(task.id), task]));
  const ends = new Map<string, Ends>();
  const visit = (id: string): Ends => {
    const known = ends.get(id);
    if (known) return known;
    const before = dependenciesOf(byId.get(id) ?? {}).filter((d) => byId.has(d));
    const parents = before.map((d) => ({ id: d, end: visit(d).end }));
    const start = parents.reduce((latest, p) => later(latest, p.end), NOTHING);
    const slowest = parents.reduce<{ id: string; end: NumberRange } | null>(
      (most, p) => (!most || rank(p.end) > rank(most.end) ? p : most),
      null,
    );
    const made = { start, end: plus(start, estimates.get(id)?.seconds ?? UNKNOWN), before: slowest?.id ?? null };
    ends.set(id, made);
    return made;
  };
  for (const id of byId.keys()) visit(id);
  return ends;
}

const rank = (range: NumberRange) => range.high ?? range.low;
const both = (a: number | null, b: number | null, by: (a: number, b: number) => number) =>
  a === null || b === null ? null : by(a, b);
const later = (a: NumberRange, b: NumberRange): NumberRange => ({
  low: Math.max(a.low, b.low),
  likely: both(a.likely, b.likely, Math.max),
  high: both(a.high, b.high, Math.max),
});
const plus = (a: NumberRange, b: NumberRange): NumberRange => ({
  low: a.low + b.low,
  likely: both(a.likely, b.likely, (x, y) => x + y),
  high: both(a.high, b.high, (x, y) => x + y),
});

function critical(ends: Map<string, Ends>): string[] {
  const last = [...ends].reduce<string | null>(
    (most, [id, { end }]) => (most === null || rank(end) > rank(ends.get(most)?.end ?? NOTHING) ? id : most),
    null,
  );
  const way: string[] = [];
  for (let at = last; at !== null; at = ends.get(at)?.before ?? null) way.unshift(at);
  return way;
}

const NONE: ReadonlySet<string> = new Set();

/** Of the tasks that are not out; whatever comes after one that is, is out as well. */
export function estimateOf(document: Json, held: ReadonlySet<string>, out: ReadonlySet<string> = NONE): EstimateView {
  const those = tasksOf(document).filter((task) => !out.has(textOf(task.id)));
  const tasks = those.map((task) => (held.has(textOf(task.id)) ? heldEstimate(task) : taskEstimate(task)));
  const ends = played(those, new Map(tasks.map((task) => [task.task, task])));
  const sum = (of: (task: TaskEstimateView) => NumberRange) => tasks.map(of).reduce(plus, NOTHING);
  const unpriced = tasks.filter((task) => task.usd.high === null).map((task) => task.task);
  return {
    usd: unpriced.length > 0 ? { low: "0", likely: null, high: null } : { low: "0", likely: "0", high: "0" },
    tokens: sum((task) => task.tokens),
    seconds: [...ends.values()].map((at) => at.end).reduce(later, NOTHING),
    calls: sum((task) => task.calls),
    freeCalls: NOTHING,
    critical: critical(ends),
    unpriced,
    untimed: tasks.filter((task) => task.seconds.high === null).map((task) => task.task),
    tasks,
  };
}

const ASSUMED = 1;

export function dryRunOf(
  document: Json,
  held: ReadonlySet<string>,
  out: ReadonlySet<string>,
): Omit<DryRunView, "leftOut"> {
  const estimate = estimateOf(document, held, out);
  const those = tasksOf(document).filter((task) => !out.has(textOf(task.id)));
  const byId = new Map(estimate.tasks.map((task) => [task.task, task]));
  const ends = played(those, byId);
  const drawn = drawnEnds(those, byId);
  const free: number[] = [];
  const tasks = [...drawn]
    .sort(([, a], [, b]) => a.from - b.from)
    .map<PredictedView>(([id, at]) => {
      const known = free.findIndex((until) => until <= at.from);
      const lane = known < 0 ? free.length : known;
      free[lane] = at.to;
      const own = ends.get(id);
      const task = byId.get(id);
      return {
        task: id,
        start: own?.start ?? UNKNOWN,
        end: own?.end ?? UNKNOWN,
        lane,
        drawnFrom: at.from,
        drawnTo: at.to,
        isAssumed: task?.seconds.likely === null,
        asks: task?.asks ?? false,
      };
    });
  return {
    tasks,
    seconds: estimate.seconds,
    critical: estimate.critical,
    lanes: free.length,
    atOnce: 16,
    untimed: estimate.untimed,
  };
}

function drawnEnds(tasks: readonly JsonObject[], estimates: Map<string, TaskEstimateView>) {
  const assumed = new Map(
    [...estimates].map(([id, task]) => {
      const s = task.seconds.likely ?? ASSUMED;
      return [id, { ...task, seconds: { low: s, likely: s, high: s } }];
    }),
  );
  const ends = played(tasks, assumed);
  return new Map([...ends].map(([id, { start, end }]) => [id, { from: start.low, to: end.low }]));
}
