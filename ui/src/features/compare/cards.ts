// The cards and edges of two plans side by side, marked where they differ. Pure.
import type { CanvasEdge, CanvasTask } from "../../components/canvas/model";
import { edgeId } from "../../components/canvas/model";
import type { CompareView } from "../../ipc/bindings";
import { runCards, runEdges } from "../../state/cards";
import { cardOf } from "../../state/frames";
import { t } from "../../text";
import type { Drawn } from "./store";

type Sides<T> = { a: T; b: T };

export function cardsOf(view: CompareView, { plan, tasks, items }: Drawn, side: "a" | "b"): CanvasTask[] {
  const changes = new Map(view.plan?.tasks.map((task) => [task.task, task.change]));
  // An item that differs shows at its map.
  const differing = new Set(view.tasks.map((task) => cardOf(task.task)));
  const own = side === "a" ? "removed" : "added";
  return runCards(plan, tasks, items).map((card) => {
    const change = changes.get(card.id) ?? "kept";
    const diff = change === own || change === "changed" ? change : null;
    const differs = differing.has(card.id);
    const word = diff ? t.compare.mark[diff] : differs ? t.compare.mark.differs : "";
    return { ...card, diff, differs, label: t.canvas.card([card.label, word]) };
  });
}

export function edgesOf(view: CompareView, { plan, tasks }: Drawn, side: "a" | "b"): CanvasEdge[] {
  const marked = view.plan?.edges.filter((edge) => edge.isAdded === (side === "b")) ?? [];
  const marks = new Set(marked.map((edge) => edgeId(edge.from, edge.to)));
  const look = side === "a" ? "removed" : "added";
  return runEdges(plan, tasks).map((edge) => (marks.has(edgeId(edge.from, edge.to)) ? { ...edge, look } : edge));
}

/** All of both, each once: the later plan's order, then what is gone. */
export function unionOf(cards: Sides<CanvasTask[]>, edges: Sides<CanvasEdge[]>) {
  const tasks = new Map([...cards.b, ...cards.a].map((task) => [task.id, task]));
  const all = new Map([...edges.b, ...edges.a].map((edge) => [edgeId(edge.from, edge.to), edge]));
  return { tasks: [...tasks.values()], edges: [...all.values()] };
}
