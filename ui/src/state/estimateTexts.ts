// An estimate as the canvas shows it: at the right of each card, on the ruler, and in the title block. Pure.
import type { EstimateView, TaskEstimateView } from "../ipc/bindings";
import { t } from "../text";
import { likelyMoney, likelyTime, moneyRange, seconds, timeRange } from "../text/ranges";

export type ByTask = ReadonlyMap<string, TaskEstimateView>;

type Estimated = { taskType: string; pinned: boolean };

export function byTask(estimate: EstimateView | null): ByTask {
  return new Map(estimate?.tasks.map((task) => [task.task, task]));
}

/** `≈ 50 s · $0.040`. What is not known is left out, or said where nothing else is. What is held takes and costs nothing. */
export function cardEstimate(task: TaskEstimateView | undefined, { taskType: kind, pinned }: Estimated): string {
  if (!task) return "";
  if (pinned) return t.holds.pinnedShort;
  if (kind === "human") return t.estimate.noLimit;
  const money = likelyMoney(task.usd) ?? t.estimate.costUnknown;
  const time = likelyTime(task.seconds);
  return time ? `${time} · ${money}` : money;
}

/** The time of the slowest of these, `you` where only people work; null where nobody knows any. */
export function slowest(tasks: ByTask, ids: readonly string[]): string | null {
  const known = ids.flatMap((id) => tasks.get(id) ?? []);
  const timed = known.filter((task) => !task.asks);
  if (known.length > 0 && timed.length === 0) return t.estimate.you;
  const likely = timed.map((task) => task.seconds.likely).filter((s) => s !== null);
  if (likely.length === 0) return null;
  const longest = Math.max(...likely);
  if (longest === 0) return null;
  const most = seconds(longest);
  return likely.length === timed.length ? `≈ ${most}` : `≥ ${most}`;
}

export function estimateFacts(estimate: EstimateView | null): { term: string; text: string }[] {
  if (!estimate) return [];
  return [
    { term: t.estimate.cost, text: moneyRange(estimate.usd) },
    { term: t.estimate.time, text: timeRange(estimate.seconds) },
  ];
}
