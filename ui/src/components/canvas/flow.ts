// From tasks and edges to React Flow's nodes and edges: places, routes, and objects that stay the same while nothing changes.
import { Position } from "@xyflow/react";
import { useMemo, useRef } from "react";
import { type Direction, useDirection } from "./direction";
import { type Layout, layOut } from "./layout";
import { CARD, type CanvasEdge, type CanvasTask, edgeId, heightOf, type Place, type Point, type Rect } from "./model";
import type { PlanFlowEdge } from "./PlanEdge";
import { heightsOf, laidOut, placesOf } from "./places";
import { type Route, routeEdge } from "./route";
import { sameTask, type TaskFlowNode } from "./TaskNode";

/** Where everything is now. */
export type Placing = {
  /** The tasks that this was made from; another one means that the engine has spoken. */
  source: readonly CanvasTask[];
  layout: Layout;
  places: ReadonlyMap<string, Place>;
  edges: readonly CanvasEdge[];
};

function handlesOf(height: number, direction: Direction) {
  const size = { width: 1, height: 1 };
  return direction === "down"
    ? [
        { type: "target" as const, position: Position.Top, x: CARD.width / 2, y: 0, ...size },
        { type: "source" as const, position: Position.Bottom, x: CARD.width / 2, y: height, ...size },
      ]
    : [
        { type: "target" as const, position: Position.Left, x: 0, y: height / 2, ...size },
        { type: "source" as const, position: Position.Right, x: CARD.width, y: height / 2, ...size },
      ];
}
/** The same objects for the same size and direction, so that nothing is measured anew. */
const HANDLES = new Map<string, ReturnType<typeof handlesOf>>();
const MOST_ROUTED_AROUND = 400;

export function useFlowElements(
  tasks: readonly CanvasTask[],
  edges: readonly CanvasEdge[],
  selection: { tasks: readonly string[]; edge: string | null },
  lit: ReadonlySet<string> | null,
  dragged: ReadonlyMap<string, Point>,
  canConnect: boolean,
  active: string | undefined,
) {
  const direction = useDirection((s) => s.direction);
  const links = useMemo(() => shapeOf(tasks, edges), [tasks, edges]);
  const shape = `${direction}\n${links}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout depends on ids and edges alone, which `shape` spells out
  const layout = useMemo(() => layOut(laidOut(tasks, edges), edges, heightsOf(tasks)), [shape]);
  const places = useSame(useMemo(() => placesOf(tasks, layout, dragged), [tasks, layout, dragged]));
  const placing = useMemo<Placing>(() => ({ source: tasks, layout, places, edges }), [tasks, layout, places, edges]);

  const oldNodes = useRef(new Map<string, TaskFlowNode>());
  const nodes = useSameList(
    useMemo(() => {
      const chosen = new Set(selection.tasks);
      const next = tasks.map((task) => {
        const isLit = lit?.has(task.id) ?? false;
        const data = {
          task,
          isSelected: chosen.has(task.id),
          isLit,
          isDim: lit !== null && !isLit,
          canConnect: canConnect && task.change !== "added",
          isActive: active === task.id,
        };
        return keep(
          oldNodes.current.get(task.id),
          nodeOf(task, places.get(task.id) ?? { x: 0, y: 0 }, data, direction),
        );
      });
      oldNodes.current = new Map(next.map((n) => [n.id, n]));
      return next;
    }, [tasks, places, selection, lit, canConnect, direction, active]),
  );

  const routes = useRoutes(edges, places, layout, dragged.size > 0);
  const oldEdges = useRef(new Map<string, PlanFlowEdge>());
  const flowEdges = useSameList(
    useMemo(() => {
      const next = edgesOf(edges, routes, selection, lit).map((edge) => keepEdge(oldEdges.current.get(edge.id), edge));
      oldEdges.current = new Map(next.map((e) => [e.id, e]));
      return next;
    }, [edges, routes, selection, lit]),
  );

  return { nodes, edges: flowEdges, placing };
}

/** The places that were, where none has changed: most edits move no card, and then no edge is drawn anew. */
function useSame(places: ReadonlyMap<string, Place>): ReadonlyMap<string, Place> {
  const last = useRef(places);
  if (last.current !== places && !isSame(last.current, places)) last.current = places;
  return last.current;
}

/** The list that was, where each of its objects is the same: React Flow takes in a new list whole. */
function useSameList<T>(list: T[]): T[] {
  const last = useRef(list);
  const was = last.current;
  if (was.length !== list.length || was.some((item, ix) => item !== list[ix])) last.current = list;
  return last.current;
}

function isSame(a: ReadonlyMap<string, Place>, b: ReadonlyMap<string, Place>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, at] of b) {
    const was = a.get(id);
    if (was?.x !== at.x || was.y !== at.y || was.height !== at.height) return false;
  }
  return true;
}

function shapeOf(tasks: readonly CanvasTask[], edges: readonly CanvasEdge[]): string {
  const maps = tasks.filter((task) => task.kind === "map").map((task) => task.id);
  return `${laidOut(tasks, edges).join("\n")}\n\n${maps.join("\n")}\n\n${edges.map((e) => `${e.from}\t${e.to}`).join("\n")}`;
}

function nodeOf(task: CanvasTask, place: Place, data: TaskFlowNode["data"], direction: Direction): TaskFlowNode {
  const height = heightOf(task.kind);
  const key = `${direction}${height}`;
  const handles = HANDLES.get(key) ?? handlesOf(height, direction);
  HANDLES.set(key, handles);
  return {
    id: task.id,
    type: "task",
    position: { x: place.x, y: place.y },
    data,
    selected: data.isSelected,
    // What is only proposed has no place that could be kept.
    ...(data.task.change === "added" ? { draggable: false } : {}),
    zIndex: data.isActive ? 2 : 0,
    width: CARD.width,
    height,
    measured: { width: CARD.width, height },
    handles,
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
    old.handles === now.handles &&
    sameTask(old.data.task, now.data.task);
  return same ? old : now;
}

function rectOf({ x, y, height = CARD.height }: Place): Rect {
  return { x, y, width: CARD.width, height };
}

type Routes = ReadonlyMap<string, Route>;
type Drawn = {
  edges: readonly CanvasEdge[];
  places: ReadonlyMap<string, Place>;
  layout: Layout;
  routes: Routes;
  /** Drawn while cards were dragged, without a look at what edges pass over. */
  isRough: boolean;
};

/**
 * Where no card has moved only new edges are drawn anew. While cards are dragged only their own are; what they pass over
 * is looked at when they are let go.
 */
function useRoutes(
  edges: readonly CanvasEdge[],
  places: ReadonlyMap<string, Place>,
  layout: Layout,
  isDragging: boolean,
): Routes {
  const last = useRef<Drawn | null>(null);
  return useMemo(() => {
    const was = last.current;
    const isStill = was?.places === places && was.layout === layout && !was.isRough;
    const old = isStill || (isDragging && was?.edges === edges) ? was : null;
    const stands = (id: string) => {
      const [was, is] = [old?.places.get(id), places.get(id)];
      return was !== undefined && was.x === is?.x && was.y === is?.y && was.height === is?.height;
    };
    const cards = places.size <= MOST_ROUTED_AROUND ? [...places.values()].map(rectOf) : [];
    const routes = new Map<string, Route>();
    for (const { from, to } of edges) {
      const [a, b, id] = [places.get(from), places.get(to), edgeId(from, to)];
      if (!a || !b) continue;
      const kept = old && stands(from) && stands(to) ? old.routes.get(id) : undefined;
      routes.set(id, kept ?? routeEdge(rectOf(a), rectOf(b), cards, layout.lanes.get(id)));
    }
    last.current = { edges, places, layout, routes, isRough: isDragging };
    return routes;
  }, [edges, places, layout, isDragging]);
}

function edgesOf(
  edges: readonly CanvasEdge[],
  routes: Routes,
  selection: { tasks: readonly string[]; edge: string | null },
  lit: ReadonlySet<string> | null,
): PlanFlowEdge[] {
  const chosen = new Set(selection.tasks);
  return edges.flatMap((edge) => {
    const id = edgeId(edge.from, edge.to);
    const route = routes.get(id);
    if (!route) return [];
    const isDim = lit !== null && !(lit.has(edge.from) && lit.has(edge.to));
    const isNear = chosen.size === 1 && (chosen.has(edge.from) || chosen.has(edge.to));
    return [flowEdge(id, edge, route, selection.edge === id, { isDim, isNear })];
  });
}

function flowEdge(
  id: string,
  edge: CanvasEdge,
  route: Route,
  selected: boolean,
  marks: { isDim: boolean; isNear: boolean },
): PlanFlowEdge {
  const data = { route, look: edge.look, label: edge.label, ...marks };
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
    old.data.isNear === now.data.isNear &&
    old.data.route.path === now.data.route.path &&
    old.data.route.arrow === now.data.route.arrow;
  return same ? old : now;
}
