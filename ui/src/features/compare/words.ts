// What is said of two runs: how they are called, what came of them, and how far their numbers lie apart. Pure.
import type { CompareView, CostView, FamilyRow, OutputDiff, RunRow, ValueSide } from "../../ipc/bindings";
import { t } from "../../text";
import { bytes, dollars, list, span, took, visible, when, whole } from "../../text/format";

/** `Margin report, today 14:05`; the end of an id tells runs of the same minute apart. */
export function nameOf(row: Pick<RunRow, "title" | "startedAt" | "run">, now: number): string {
  return `${visible(row.title)}, ${when(row.startedAt, now)}`;
}

export function shortId(run: string): string {
  return run.length > 10 ? run.slice(-6) : run;
}

export function moneyText(cost: CostView): string {
  if (cost.calls === 0) return dollars("0");
  if (cost.unknown > 0) return `≥ ${dollars(cost.usd)}`;
  return cost.guessed > 0 ? `≤ ${dollars(cost.usd)}` : dollars(cost.usd);
}

export function tokensOf(cost: CostView): number {
  return (cost.inputTokens ?? 0) + (cost.outputTokens ?? 0);
}

/** Up to where both are the same, and what they did then. */
export function summaryOf(view: CompareView): string {
  if (view.a.row.run === view.b.row.run) return t.compare.sameRun;
  const start = view.shared ? t.compare.shared(took(view.shared.ranMs), view.shared.seq) : t.compare.nothingShared;
  const parts = partsOf(view);
  return parts.length === 0 ? start : `${start} ${t.compare.parted(list(parts))}`;
}

function partsOf({ plan, tasks, a, b }: CompareView): string[] {
  const words = t.compare.counts;
  const count = (change: string) => plan?.tasks.filter((task) => task.change === change).length ?? 0;
  const told: string[] = [];
  for (const change of ["added", "removed", "changed"] as const)
    if (count(change) > 0) told.push(words[change](count(change)));
  const used = (models: readonly string[]) => [...models].sort().join("\n");
  if (a.executors.length > 0 && b.executors.length > 0 && used(a.executors) !== used(b.executors))
    told.push(words.executors);
  const differ = tasks.filter((task) => task.plan === "kept").length;
  if (differ > 0) told.push(words.differ(differ));
  return told;
}

export type NumberRow = {
  id: string;
  label: string;
  a: string;
  b: string;
  /** What B has more or less than A, and whether that is welcome. */
  delta: string;
  tone: "" | "better" | "worse";
  /** What of it is in the numbers of both. */
  shared?: string;
};

export function numbersOf({ a, b, shared }: CompareView): NumberRow[] {
  const [one, two] = [a.numbers, b.numbers];
  const words = t.compare.number;
  const row = (id: keyof typeof words, of: (n: typeof one) => number, text: (n: number) => string): NumberRow => {
    const apart = of(two) - of(one);
    return {
      id,
      label: words[id],
      a: text(of(one)),
      b: text(of(two)),
      delta: deltaText(apart, text),
      tone: toneOf(apart),
    };
  };
  const money = {
    ...row(
      "cost",
      (n) => Number(n.cost.usd),
      (n) => dollars(String(n)),
    ),
    a: moneyText(one.cost),
    b: moneyText(two.cost),
    ...sharedOf(shared, b),
  };
  const timed = row("time", (n) => n.ranMs, took);
  const apart = two.ranMs - one.ranMs;
  const time = { ...timed, delta: apart === 0 ? t.compare.delta.same : timeDelta(apart) };
  return [
    money,
    time,
    row("waited", (n) => n.waitedMs, took),
    row("calls", (n) => n.cost.calls, whole),
    row("tokens", (n) => tokensOf(n.cost), whole),
    row("tools", (n) => n.toolCalls, whole),
    row("retries", (n) => n.retries, whole),
  ];
}

/** Paid once, where B is another run. */
function sharedOf(shared: CompareView["shared"], b: CompareView["b"]): { shared?: string } {
  if (!shared || shared.cost.calls === 0 || shared.seq >= b.head) return {};
  return { shared: t.compare.sharedCost(moneyText(shared.cost)) };
}

function timeDelta(apart: number): string {
  return apart < 0 ? t.compare.delta.faster(took(-apart)) : t.compare.delta.slower(took(apart));
}

function deltaText(apart: number, text: (n: number) => string): string {
  if (apart === 0) return t.compare.delta.same;
  return apart > 0 ? t.compare.delta.more(text(apart)) : t.compare.delta.less(text(-apart));
}

function toneOf(apart: number): NumberRow["tone"] {
  return apart === 0 ? "" : apart < 0 ? "better" : "worse";
}

/** What a row of the family says under its name. */
export function noteOf({ forkedAt, parent }: FamilyRow): string {
  return forkedAt === null || parent === null ? "" : t.compare.forkedAt(forkedAt);
}

export function sizeOf(side: ValueSide): string {
  return side.bytes === null ? t.compare.nothing : bytes(side.bytes);
}

/** Where in the outputs a text or value is. */
export function placeText({ a, b }: OutputDiff["values"][number]["at"]): string {
  const one = (pointer: string) => (pointer === "" ? t.compare.whole : visible(t.versions.field(pointer)));
  if (a !== null && b !== null && a !== b) return t.compare.moved(one(a), one(b));
  return one(a ?? b ?? "");
}

export function workText(ms: number): string {
  return ms < 1000 ? span(ms) : took(ms);
}
