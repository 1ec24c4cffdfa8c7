// Rows and bars in words, for tooltips, the table and screen readers. Pure.
import type { CostView, SpanView, TrackView } from "../../ipc/bindings";
import { t } from "../../text";
import { clock, dollars, took, visible } from "../../text/format";
import type { Axis } from "./axis";
import type { Bar, Row } from "./rows";

/** Of what never began. */
const NOTHING = "–";

export function nameOf(row: Row): string {
  if (row.track) return row.track.title;
  return row.lane === null ? t.review.theRun : t.review.workerName(row.lane + 1);
}

/** What a task cost: `you` where only a person was at work, `free` where nothing was asked. */
export function costText(track: TrackView, hasBegun: boolean): string {
  if (!hasBegun && track.cost.calls === 0) return NOTHING;
  if (track.taskType === "human") return t.review.you;
  return moneyText(track.cost);
}

export function moneyText(cost: CostView): string {
  if (cost.unknown > 0) return Number(cost.usd) === 0 ? t.review.unknownCost : `≥ ${dollars(cost.usd)}`;
  return cost.guessed > 0 ? `≤ ${dollars(cost.usd)}` : dollars(cost.usd);
}

function timeOf(axis: Axis, seq: number): number {
  return axis.at[seq - 1] ?? 0;
}

export function spanText(span: SpanView, axis: Axis): string {
  const [from, to] = [timeOf(axis, span.from), timeOf(axis, span.to)];
  const parts = [
    span.kind === "work" && span.attempt > 1 ? `${t.review.kinds.work} ${span.attempt}` : t.review.kinds[span.kind],
    `${clock(from)} – ${span.end === "open" ? t.review.now : clock(to)}`,
    took(to - from),
    span.code ? visible(span.code) : "",
    span.isSetAside ? t.review.setAside : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

export function barText(bar: Bar, axis: Axis): string {
  return [bar.track ? visible(bar.track.title) : t.review.theRun, spanText(bar.span, axis)].join("\n");
}

/** How long the row's task took, or its worker was at work. */
export function timeText(row: Row, axis: Axis): string {
  if (row.bars.length === 0) return NOTHING;
  if (row.track) return took((row.track.workMs ?? 0) + (row.track.personMs ?? 0));
  return row.lane === null ? "" : took(workOf(row, axis));
}

/** How long a worker was at work, what was set aside left out. */
function workOf(row: Row, axis: Axis): number {
  return row.bars.reduce(
    (sum, { span }) => (span.isSetAside ? sum : sum + timeOf(axis, span.to) - timeOf(axis, span.from)),
    0,
  );
}
