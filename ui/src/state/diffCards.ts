// Two versions as one picture: the later one's cards and edges with those that are gone, each marked. Pure.
import type { CanvasEdge, CanvasTask, DiffMark } from "../components/canvas/model";
import type { DraftView, PlanDiff } from "../ipc/bindings";
import { t } from "../text";
import { draftCards, draftEdges } from "./cards";

export type Side = "before" | "changes" | "after";

export function diffCards(before: DraftView, after: DraftView, diff: PlanDiff, side: Side): CanvasTask[] {
  const marks = new Map<string, DiffMark>(diff.tasks.map((task) => [task.task, task.change]));
  const moved = new Set(diff.moved);
  const mark = (task: CanvasTask): CanvasTask => {
    const change = marks.get(task.id) ?? "kept";
    const isShown = change !== "kept" || moved.has(task.id);
    const word = change === "kept" ? (moved.has(task.id) ? t.versions.moved : "") : t.versions.change[change];
    return {
      ...task,
      badge: null,
      diff: change === "kept" ? null : change,
      label: isShown ? t.canvas.card([task.label, word.toLowerCase()]) : task.label,
    };
  };
  if (side === "before") return draftCards(before).map(mark);
  const now = draftCards(after).map(mark);
  if (side === "after") return now;
  const gone = draftCards(before)
    .filter((task) => marks.get(task.id) === "removed")
    .map(mark);
  return [...now, ...gone];
}

export function diffEdges(before: DraftView, after: DraftView, diff: PlanDiff, side: Side): CanvasEdge[] {
  const key = (edge: { from: string; to: string }) => `${edge.from}→${edge.to}`;
  const added = new Set(diff.edges.filter((e) => e.isAdded).map(key));
  const removed = new Set(diff.edges.filter((e) => !e.isAdded).map(key));
  const look = (edge: CanvasEdge, marks: ReadonlySet<string>, as: "added" | "removed"): CanvasEdge =>
    marks.has(key(edge)) ? { ...edge, look: as } : edge;
  if (side === "before") return draftEdges(before).map((edge) => look(edge, removed, "removed"));
  const now = draftEdges(after).map((edge) => look(edge, added, "added"));
  if (side === "after") return now;
  const gone = draftEdges(before).filter((edge) => removed.has(key(edge)));
  return [...now, ...gone.map((edge) => look(edge, removed, "removed"))];
}
