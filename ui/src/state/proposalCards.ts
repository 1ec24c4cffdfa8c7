// A proposed change on the canvas: the draft's own cards and edges with marks, and what would come drawn beside them. Pure.
import type { CanvasEdge, CanvasTask } from "../components/canvas/model";
import { edgeId } from "../components/canvas/model";
import type { PieceView, ProposalView } from "../ipc/bindings";
import { type JsonObject, objectOf, textOf, tryParse } from "../ipc/json";
import { t } from "../text";
import { leftOf } from "./proposal";

type Drawn = { tasks: CanvasTask[]; edges: CanvasEdge[] };

export function withProposal(tasks: CanvasTask[], edges: CanvasEdge[], view: ProposalView | null): Drawn {
  const left = leftOf(view).filter((piece) => piece.kind !== "plan");
  if (left.length === 0) return { tasks, edges };
  const byTask = new Map(left.map((piece) => [piece.name, piece]));
  const known = new Set(tasks.map((task) => task.id));
  const marked = tasks.map((task) => mark(task, byTask.get(task.id)));
  const ghosts = left.filter((piece) => piece.kind === "added" && !known.has(piece.name)).map(ghost);
  const all = [...marked, ...ghosts];
  return { tasks: all, edges: markEdges(edges, left, byTask, new Set(all.map((task) => task.id))) };
}

function mark(task: CanvasTask, piece: PieceView | undefined): CanvasTask {
  if (!piece || (piece.kind !== "changed" && piece.kind !== "removed")) return task;
  return { ...task, change: piece.kind, label: `${task.label}, ${t.proposal.marked[piece.kind]}` };
}

/** A task that is only proposed, as a card. */
function ghost(piece: PieceView): CanvasTask {
  const document: JsonObject = objectOf(tryParse(piece.fields[0]?.after));
  const kind = textOf(document.task_type) || "agent";
  return {
    id: piece.name,
    title: piece.title,
    kind,
    detail: textOf(document.tool) || textOf(document.model),
    status: "DRAFT",
    position: null,
    left: t.plan.inputs(Object.keys(objectOf(document.inputs)).length),
    right: "",
    grants: [],
    since: null,
    until: null,
    badge: null,
    mark: null,
    isTainted: false,
    frame: null,
    change: "added",
    label: `${piece.title}, ${(t.words.kind[kind] ?? kind).toLowerCase()}, ${t.proposal.marked.added}`,
  };
}

function markEdges(
  edges: CanvasEdge[],
  left: readonly PieceView[],
  byTask: ReadonlyMap<string, PieceView>,
  known: ReadonlySet<string>,
): CanvasEdge[] {
  const lost = new Set(left.flatMap((piece) => piece.lost.map((from) => edgeId(from, piece.name))));
  const isGoing = (id: string) => byTask.get(id)?.kind === "removed";
  const there = new Set(edges.map((edge) => edgeId(edge.from, edge.to)));
  const marked = edges.map((edge): CanvasEdge => {
    const goes = lost.has(edgeId(edge.from, edge.to)) || isGoing(edge.from) || isGoing(edge.to);
    return goes ? { ...edge, look: "removed" } : edge;
  });
  const comes = left.flatMap((piece) =>
    piece.gained
      .filter((from) => known.has(from) && !there.has(edgeId(from, piece.name)))
      .map((from): CanvasEdge => ({ from, to: piece.name, look: "added", label: t.canvas.change.added })),
  );
  return [...marked, ...comes];
}
