// A new plan as one picture: the plan that ran with the states of its tasks, what comes, goes and changes, and what is done
// and locked. Pure.
import type { CanvasEdge, CanvasTask, Change } from "../components/canvas/model";
import type { DraftView, PlanDiff, ReplanView, TaskStatus, TaskView } from "../ipc/bindings";
import { t } from "../text";
import { runCards } from "./cards";
import { diffEdges, type Side } from "./diffCards";

const OVER: readonly TaskStatus[] = ["COMPLETED", "SKIPPED", "CANCELLED"];

/** What is known of a task where only its state is. */
function bare(id: string, status: TaskStatus, attempts: number): TaskView {
  return {
    id,
    status,
    attempts,
    maxAttempts: Math.max(attempts, 1),
    wait: null,
    startedAt: null,
    endedAt: null,
    error: null,
    summary: null,
    pinned: false,
    breakpoint: null,
  };
}

export function isOver(view: ReplanView, task: string): boolean {
  const status = view.states.find((state) => state.task === task)?.status;
  return status !== undefined && OVER.includes(status);
}

function statesOf(view: ReplanView): Map<string, TaskView> {
  const tried = new Map<string, number>();
  for (const error of view.errors) tried.set(error.task, Math.max(error.attempt, tried.get(error.task) ?? 0));
  return new Map(view.states.map(({ task, status }) => [task, bare(task, status, tried.get(task) ?? 1)]));
}

export function replanCards(view: ReplanView, after: DraftView, diff: PlanDiff, side: Side): CanvasTask[] {
  const states = statesOf(view);
  const marks = new Map(diff.tasks.map((task) => [task.task, task.change]));
  const mark = (task: CanvasTask): CanvasTask => {
    const change = changeOf(marks.get(task.id) ?? "kept", states.get(task.id)?.status);
    const isDone = change === "kept";
    const label = change ? t.canvas.card([task.label, t.canvas.change[change].toLowerCase()]) : task.label;
    return { ...task, badge: null, label, right: isDone ? t.replan.resultKept : task.right, ...(change && { change }) };
  };
  const was = runCards(view.before, states).map(mark);
  if (side === "before") return was;
  const now = runCards(after, fresh(states, diff)).map(mark);
  return side === "after" ? now : [...now, ...was.filter((task) => marks.get(task.id) === "removed")];
}

/** What changes begins anew. */
function fresh(states: ReadonlyMap<string, TaskView>, diff: PlanDiff): Map<string, TaskView> {
  const next = new Map(states);
  for (const task of diff.tasks) if (task.change !== "kept") next.delete(task.task);
  return next;
}

function changeOf(change: Change, status: TaskStatus | undefined): Change | null {
  if (change !== "kept") return change;
  return status !== undefined && OVER.includes(status) ? "kept" : null;
}

export function replanEdges(view: ReplanView, after: DraftView, diff: PlanDiff, side: Side): CanvasEdge[] {
  const states = new Map(view.states.map(({ task, status }) => [task, status]));
  const edges = diffEdges(view.before, after, diff, side);
  return edges.map((edge) =>
    edge.look === "pending" && states.get(edge.from) === "COMPLETED" ? { ...edge, look: "done" as const } : edge,
  );
}
