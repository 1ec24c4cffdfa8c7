// From tasks and edges to React Flow's nodes and edges: places, routes, and objects that stay the same while nothing changes.
import { Position } from "@xyflow/react";
import { useMemo, useRef } from "react";
import { type Layout, layOut } from "./layout";
import { CARD, type CanvasEdge, type CanvasTask, edgeId, type Point, type Rect } from "./model";
import type { PlanFlowEdge } from "./PlanEdge";
import { type Route, routeEdge } from "./route";
import { sameTask, type TaskFlowNode } from "./TaskNode";

/** Where everything is now. */
export type Placing = {
  /** The tasks that this was made from; another one means that the engine has spoken. */
  source: readonly CanvasTask[];
  layout: Layout;
  places: ReadonlyMap<string, Point>;
  edges: readonly CanvasEdge[];
};

const HANDLES = [
  { type: "target" as const, position: Position.Top, x: CARD.width / 2, y: 0, width: 1, height: 1 },
  { type: "source" as const, position: Position.Bottom, x: CARD.width / 2, y: CARD.height, width: 1, height: 1 },
];
const MOST_ROUTED_AROUND = 400;

export function useFlowElements(
  tasks: readonly CanvasTask[],
  edges: readonly CanvasEdge[],
  selection: { tasks: readonly string[]; edge: string | null },
  lit: ReadonlySet<string> | null,
  dragged: ReadonlyMap<string, Point>,
  canConnect: boolean,
) {
  const shape = shapeOf(tasks, edges);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout depends on ids and edges alone, which `shape` spells out
  const layout = useMemo(() => layOut(laidOut(tasks, edges), edges), [shape]);
  const places = useMemo(() => placesOf(tasks, layout, dragged), [tasks, layout, dragged]);
  const placing = useMemo<Placing>(() => ({ source: tasks, layout, places, edges }), [tasks, layout, places, edges]);

  const oldNodes = useRef(new Map<string, TaskFlowNode>());
  const nodes = useMemo(() => {
    const chosen = new Set(selection.tasks);
    const active = selection.tasks[selection.tasks.length - 1];
    const next = tasks.map((task) => {
      const isLit = lit?.has(task.id) ?? false;
      const data = {
        task,
        isSelected: chosen.has(task.id),
        isLit,
        isDim: lit !== null && !isLit,
        canConnect,
        isActive: active === task.id,
      };
      return keep(oldNodes.current.get(task.id), nodeOf(task, places.get(task.id) ?? { x: 0, y: 0 }, data));
    });
    oldNodes.current = new Map(next.map((n) => [n.id, n]));
    return next;
  }, [tasks, places, selection, lit, canConnect]);

  const oldEdges = useRef(new Map<string, PlanFlowEdge>());
  const flowEdges = useMemo(() => {
    const next = edgesOf(edges, places, layout, selection.edge, lit).map((edge) =>
      keepEdge(oldEdges.current.get(edge.id), edge),
    );
    oldEdges.current = new Map(next.map((e) => [e.id, e]));
    return next;
  }, [edges, places, layout, selection.edge, lit]);

  return { nodes, edges: flowEdges, placing };
}

/** A card that a person has just dropped and not connected yet must not push the others aside. */
function laidOut(tasks: readonly CanvasTask[], edges: readonly CanvasEdge[]): string[] {
  const linked = new Set(edges.flatMap((e) => [e.from, e.to]));
  return tasks.filter((t) => t.position === null || linked.has(t.id)).map((t) => t.id);
}

function shapeOf(tasks: readonly CanvasTask[], edges: readonly CanvasEdge[]): string {
  return `${laidOut(tasks, edges).join("\n")}\n\n${edges.map((e) => `${e.from}\t${e.to}`).join("\n")}`;
}

function placesOf(
  tasks: readonly CanvasTask[],
  layout: Layout,
  dragged: ReadonlyMap<string, Point>,
): Map<string, Point> {
  return new Map(
    tasks.map((t) => [t.id, dragged.get(t.id) ?? t.position ?? layout.positions.get(t.id) ?? { x: 0, y: 0 }]),
  );
}

function nodeOf(task: CanvasTask, position: Point, data: TaskFlowNode["data"]): TaskFlowNode {
  return {
    id: task.id,
    type: "task",
    position,
    data,
    selected: data.isSelected,
    width: CARD.width,
    height: CARD.height,
    measured: CARD,
    handles: HANDLES,
  };
}

function keep(old: TaskFlowNode | undefined, now: TaskFlowNode): TaskFlowNode {
  if (!old) return now;
  const same =
    old.position.x === now.position.x &&
    old.position.y === now.position.y &&
    old.data.isSelected === now.data.isSelected &&
    old.data.isLit === now.data.isLit &&
    old.data.isDim === now.data.isDim &&
    old.data.isActive === now.data.isActive &&
    old.data.canConnect === now.data.canConnect &&
    sameTask(old.data.task, now.data.task);
  return same ? old : now;
}

function rectOf(point: Point): Rect {
  return { ...point, ...CARD };
}

function edgesOf(
  edges: readonly CanvasEdge[],
  places: ReadonlyMap<string, Point>,
  layout: Layout,
  selected: string | null,
  lit: ReadonlySet<string> | null,
): PlanFlowEdge[] {
  const cards = places.size <= MOST_ROUTED_AROUND ? [...places.values()].map(rectOf) : [];
  const made: PlanFlowEdge[] = [];
  for (const edge of edges) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!from || !to) continue;
    const id = edgeId(edge.from, edge.to);
    const route = routeEdge(rectOf(from), rectOf(to), cards, layout.lanes.get(id));
    const isDim = lit !== null && !(lit.has(edge.from) && lit.has(edge.to));
    made.push(flowEdge(id, edge, route, selected === id, isDim));
  }
  return made;
}

function flowEdge(id: string, edge: CanvasEdge, route: Route, selected: boolean, isDim: boolean): PlanFlowEdge {
  const data = { route, look: edge.look, label: edge.label, isDim };
  const zIndex = selected || edge.look === "taint" || edge.look === "loop" ? 1 : 0;
  return {
    id,
    type: "plan",
    source: edge.from,
    target: edge.to,
    data,
    selected,
    zIndex,
    reconnectable: "target",
    interactionWidth: 18,
  };
}

function keepEdge(old: PlanFlowEdge | undefined, now: PlanFlowEdge): PlanFlowEdge {
  const same =
    old?.data &&
    now.data &&
    old.selected === now.selected &&
    old.data.look === now.data.look &&
    old.data.label === now.data.label &&
    old.data.isDim === now.data.isDim &&
    old.data.route.path === now.data.route.path &&
    old.data.route.arrow === now.data.route.arrow;
  return same ? old : now;
}
