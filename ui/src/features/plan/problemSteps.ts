// Which of the plan's problems is looked at, and which comes next: several may lie on one task. It mends nothing.
import { create } from "zustand";
import type { DraftView, Problem } from "../../ipc/bindings";
import { revealField, select } from "../../state/selection";

/** The problem shown last, by what it says and where, and where it stood then: once mended, the next one stands there. */
type Seen = { key: string; at: number; run: string };

export const useSeenProblem = create<{ seen: Seen | null }>(() => ({ seen: null }));

function keyOf(problem: Problem): string {
  return `${problem.code} ${problem.pointer} ${problem.message}`;
}

/** The task that showing the problem chooses; undefined for one of the plan itself. */
function taskOf(problem: Problem, view: DraftView) {
  return (
    view.tasks.find((x) => problem.pointer === x.pointer || problem.pointer.startsWith(`${x.pointer}/`)) ??
    view.tasks.find((x) => x.id === problem.tasks[0])
  );
}

/** Selects the task and the field that the pointer names. */
export function showProblem(problem: Problem, view: DraftView): void {
  useSeenProblem.setState({ seen: { key: keyOf(problem), at: view.problems.indexOf(problem), run: view.run } });
  const task = taskOf(problem, view);
  if (!task) {
    select([]);
    return;
  }
  const isInside = problem.pointer.startsWith(`${task.pointer}/`);
  revealField(task.id, isInside ? problem.pointer.slice(task.pointer.length) : "");
}

/** Where the problem that is looked at stands in the list; -1 where none is. It counts while its task is the chosen one. */
function seenAt(view: DraftView, shown: readonly Problem[], chosen: string | undefined, seen: Seen | null): number {
  if (!seen || seen.run !== view.run) return -1;
  return shown.findIndex((problem) => keyOf(problem) === seen.key && taskOf(problem, view)?.id === chosen);
}

/** The row to mark: the problem looked at, else the first of the chosen task. */
export function problemAt(
  view: DraftView,
  shown: readonly Problem[],
  chosen: string | undefined,
  seen: Seen | null,
): number {
  const at = seenAt(view, shown, chosen, seen);
  return at >= 0 || chosen === undefined ? at : shown.findIndex((p) => p.tasks[0] === chosen);
}

export function stepped(
  view: DraftView,
  shown: readonly Problem[],
  chosen: string | undefined,
  by: 1 | -1,
): Problem | undefined {
  const { seen } = useSeenProblem.getState();
  const count = shown.length;
  const here = seenAt(view, shown, chosen, seen);
  if (here >= 0) return shown[(here + by + count) % count];
  const ofChosen = shown.filter((p) => chosen !== undefined && p.tasks[0] === chosen);
  if (ofChosen.length > 0) return by > 0 ? ofChosen[0] : ofChosen[ofChosen.length - 1];
  const was = seen && seen.run === view.run ? seen.at : 0;
  return by > 0 ? shown[was % Math.max(1, count)] : shown[(was - 1 + count) % Math.max(1, count)];
}

export function problemToFix(view: DraftView, chosen: string | undefined, seen: Seen | null): Problem | undefined {
  const at = seenAt(view, view.problems, chosen, seen);
  if (at >= 0) return view.problems[at]?.fix ? view.problems[at] : undefined;
  return view.problems.find((p) => p.fix && (chosen === undefined || p.tasks.includes(chosen)));
}
