// What differs, in the order in which a person goes through it. Pure but for the choice of a task.
import type { PlanDiff, TaskDiff } from "../../../ipc/bindings";
import { selectAndShow, useSelection } from "../../../state/selection";

export type Counts = Record<TaskDiff["change"], number>;

export function countsOf(diff: PlanDiff): Counts {
  const counts: Counts = { added: 0, removed: 0, changed: 0, kept: 0 };
  for (const task of diff.tasks) counts[task.change] += 1;
  return counts;
}

export function changesOf(diff: PlanDiff): TaskDiff[] {
  return diff.tasks.filter((task) => task.change !== "kept");
}

/** Whether nothing at all differs. */
export function isSame(diff: PlanDiff): boolean {
  return (
    changesOf(diff).length === 0 &&
    diff.edges.length === 0 &&
    diff.plan.length === 0 &&
    diff.moved.length === 0 &&
    !diff.isReordered
  );
}

/** Chooses the next or the previous change. */
export function stepChange(changes: readonly TaskDiff[], by: 1 | -1): boolean {
  if (changes.length === 0) return false;
  const here = changes.findIndex((change) => change.task === useSelection.getState().tasks[0]);
  const from = here < 0 && by < 0 ? 0 : here;
  const next = changes[(from + by + changes.length) % changes.length];
  if (next) selectAndShow([next.task]);
  return true;
}

export type Line = { mark: "same" | "before" | "after"; text: string };

/** Two texts line by line: what is equal at both ends is told once and cut short, the rest stands under each other. */
export function linesOf(before: string, after: string): Line[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ mark: "same", text }));
  return [
    ...same(old.slice(Math.max(0, head - CONTEXT), head)),
    ...old.slice(head, old.length - tail).map<Line>((text) => ({ mark: "before", text })),
    ...now.slice(head, now.length - tail).map<Line>((text) => ({ mark: "after", text })),
    ...same(old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ];
}

const CONTEXT = 2;
