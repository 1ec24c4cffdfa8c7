// What pointers do on the canvas, told to the screen in its own words: selecting, moving, connecting, reconnecting.
import type { Connection, FinalConnectionState, NodeChange } from "@xyflow/react";
import {
  type MouseEvent as ReactMouseEvent,
  type PointerEvent as ReactPointerEvent,
  useCallback,
  useMemo,
  useRef,
} from "react";
import { showVerdicts, startConnecting, stopConnecting, taskUnder } from "./connecting";
import { aimAt, edgeUnder } from "./dropTarget";
import type { Placing } from "./flow";
import type { CanvasEdge, Point } from "./model";
import type { CanvasSelection, Editing } from "./PlanCanvas";
import type { PlanFlowEdge } from "./PlanEdge";
import { cardId, type TaskFlowNode } from "./TaskNode";

/** Selection and dragging, as React Flow reports them, into the screen's selection and the places under the pointer. */
export function useNodeChanges(
  placing: Placing,
  selection: CanvasSelection,
  onSelect: (selection: CanvasSelection) => void,
  setDragged: (update: (now: ReadonlyMap<string, Point>) => ReadonlyMap<string, Point>) => void,
) {
  const known = useRef(placing.source);
  if (known.current !== placing.source) {
    known.current = placing.source;
    // The engine's answer has arrived: its places count from here on.
    queueMicrotask(() => setDragged((now) => (now.size > 0 ? new Map() : now)));
  }
  return useCallback(
    (changes: NodeChange<TaskFlowNode>[]) => {
      const moved = changes.filter((c) => c.type === "position" && c.position);
      if (moved.length > 0) {
        setDragged((now) => {
          const next = new Map(now);
          for (const c of moved) if (c.type === "position" && c.position) next.set(c.id, c.position);
          return next;
        });
      }
      const picks = changes.filter((c) => c.type === "select");
      if (picks.length === 0) return;
      const chosen = new Set(selection.tasks);
      for (const c of picks) if (c.type === "select") c.selected ? chosen.add(c.id) : chosen.delete(c.id);
      onSelect({ tasks: [...chosen], edge: null });
    },
    [selection, onSelect, setDragged],
  );
}

export function useConnectGestures(editing: Editing | null, toWorld: (client: Point) => Point) {
  const begin = (from: string | null) => {
    if (!from || !editing) return;
    startConnecting(from);
    editing.verdicts(from).then((verdicts) => showVerdicts(from, verdicts));
  };
  const end = (event: MouseEvent | TouchEvent, state: FinalConnectionState, old: PlanFlowEdge | null) => {
    const from = old?.source ?? state.fromNode?.id ?? null;
    const client = clientOf(event);
    const target = state.toNode?.id ?? taskUnder(client);
    stopConnecting();
    if (!from || !editing) return;
    if (target === null) {
      if (old) editing.onDisconnect(old.source, old.target);
      else editing.onConnectToEmpty(from, toWorld(client), client);
    } else if (old) {
      if (target !== old.target) editing.onReconnect(old.source, old.target, target);
    } else if (target !== from) editing.onConnect(from, target);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `begin` and `end` are made of these two alone
  return useMemo(() => {
    let old: PlanFlowEdge | null = null;
    return {
      onConnectStart: (_: unknown, { nodeId }: { nodeId: string | null }) => begin(nodeId),
      onConnect: (_: Connection) => undefined,
      onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
        if (!old) end(event, state, null);
      },
      onReconnectStart: (_: unknown, edge: PlanFlowEdge) => {
        old = edge;
        begin(edge.source);
      },
      onReconnect: () => undefined,
      onReconnectEnd: (event: MouseEvent | TouchEvent, edge: PlanFlowEdge, _: unknown, state: FinalConnectionState) => {
        old = null;
        end(event, state, edge);
      },
    };
  }, [editing, toWorld]);
}

function clientOf(event: MouseEvent | TouchEvent): Point {
  const touch = "changedTouches" in event ? event.changedTouches[0] : undefined;
  return touch
    ? { x: touch.clientX, y: touch.clientY }
    : { x: (event as MouseEvent).clientX, y: (event as MouseEvent).clientY };
}

/** Where the pointer is over the canvas, so that what is pasted lands there. */
export function usePointer() {
  const at = useRef<Point | null>(null);
  const handlers = useMemo(
    () => ({
      onPointerMove: (event: ReactPointerEvent) => {
        at.current = { x: event.clientX, y: event.clientY };
      },
      onPointerLeave: () => {
        at.current = null;
      },
    }),
    [],
  );
  return { at, handlers };
}

/** A lone card without connections is put into the edge that it is let go over. */
export function useDropOnEdge(editing: Editing | null, edges: readonly CanvasEdge[]) {
  const aim = (event: MouseEvent | TouchEvent | ReactMouseEvent, nodes: readonly TaskFlowNode[]): CanvasEdge | null => {
    const [node] = nodes;
    if (!editing || nodes.length !== 1 || !node) return null;
    if (edges.some((e) => e.from === node.id || e.to === node.id)) return null;
    return edgeUnder(clientOf(event as MouseEvent), edges);
  };
  return {
    onDrag: (event: MouseEvent | TouchEvent | ReactMouseEvent, _: unknown, nodes: TaskFlowNode[]) =>
      aimAt(aim(event, nodes)),
    /** Whether the card was put between two others, and so is not merely moved. */
    onStop: (event: MouseEvent | TouchEvent, nodes: TaskFlowNode[]): boolean => {
      const edge = aim(event, nodes);
      aimAt(null);
      if (!edge || !nodes[0]) return false;
      editing?.onPutBetween(nodes[0].id, edge.from, edge.to);
      return true;
    },
  };
}

/** The right button, and the menu key: a menu for what is under it. */
export function useMenuGestures(
  editing: Editing | null,
  selection: CanvasSelection,
  onSelect: (selection: CanvasSelection) => void,
) {
  const ask = (event: ReactMouseEvent | MouseEvent) => {
    event.preventDefault();
    return { x: event.clientX, y: event.clientY };
  };
  const handlers = {
    onNodeContextMenu: (event: ReactMouseEvent, node: TaskFlowNode) => {
      const at = ask(event);
      if (!editing) return;
      if (!selection.tasks.includes(node.id)) onSelect({ tasks: [node.id], edge: null });
      editing.onMenu({ what: "task", at });
    },
    onSelectionContextMenu: (event: ReactMouseEvent) => editing?.onMenu({ what: "task", at: ask(event) }),
    onEdgeContextMenu: (event: ReactMouseEvent, edge: PlanFlowEdge) => {
      const at = ask(event);
      if (!editing) return;
      onSelect({ tasks: [], edge: edge.id });
      editing.onMenu({ what: "edge", from: edge.source, to: edge.target, at });
    },
    onPaneContextMenu: (event: ReactMouseEvent | MouseEvent) => {
      const at = ask(event);
      editing?.onMenu({ what: "plan", at });
    },
  };
  const onKey = (active: string | null, box: HTMLElement | null) => {
    const card = active === null ? null : document.getElementById(cardId(active))?.getBoundingClientRect();
    const place = card ?? box?.getBoundingClientRect();
    if (!place || !editing) return;
    const at = card
      ? { x: place.left + 24, y: place.bottom }
      : { x: place.left + place.width / 2, y: place.top + place.height / 2 };
    editing.onMenu({ what: card ? "task" : "plan", at });
  };
  return { handlers, onKey };
}
