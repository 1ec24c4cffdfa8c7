// The canvas: React Flow with this app's cards, edges, keys and pointer rules. What a gesture means is the screen's to say.
import {
  type Connection,
  type FinalConnectionState,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
} from "@xyflow/react";
import { type KeyboardEvent, type ReactNode, type Ref, useCallback, useMemo, useRef, useState } from "react";
import { ConnectionLine } from "./ConnectionLine";
import { mayConnect, showVerdicts, startConnecting, stopConnecting, taskUnder } from "./connecting";
import { type Placing, useFlowElements } from "./flow";
import { LevelContext } from "./level";
import { MiniMap } from "./MiniMap";
import { type CanvasEdge, type CanvasTask, edgeId, type Point, SNAP } from "./model";
import { PlanEdge, type PlanFlowEdge } from "./PlanEdge";
import { RefusalTip } from "./RefusalTip";
import { cardId, type TaskFlowNode, TaskNode } from "./TaskNode";
import { type CanvasHandle, useViewport } from "./viewport";
import { WaveRuler } from "./WaveRuler";
import { stepFrom } from "./walk";

export type Editing = {
  onMove: (places: { id: string; x: number; y: number }[]) => void;
  onConnect: (from: string, to: string) => void;
  onReconnect: (from: string, to: string, newTo: string) => void;
  onDisconnect: (from: string, to: string) => void;
  /** Asked when a connection starts: target → null or why not. */
  verdicts: (from: string) => Promise<Map<string, string | null>>;
  /** Released over empty canvas. */
  onConnectToEmpty: (from: string, world: Point, client: Point) => void;
};

export type CanvasSelection = { tasks: readonly string[]; edge: string | null };

type Props = {
  label: string;
  tasks: readonly CanvasTask[];
  edges: readonly CanvasEdge[];
  selection: CanvasSelection;
  onSelect: (selection: CanvasSelection) => void;
  onOpen?: (task: string) => void;
  onHover?: (task: string | null) => void;
  editing?: Editing | null;
  hand?: boolean;
  lit?: ReadonlySet<string> | null;
  bottomInset?: number;
  handle?: Ref<CanvasHandle>;
  children?: ReactNode;
};

export function PlanCanvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

const NODE_TYPES = { task: TaskNode };
const EDGE_TYPES = { plan: PlanEdge };
const DRAW_ONLY_VISIBLE_FROM = 250;

function Flow(props: Props) {
  const { tasks, editing, selection } = props;
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(new Map());
  const box = useRef<HTMLDivElement>(null);
  const flow = useFlowElements(tasks, props.edges, selection, props.lit ?? null, dragged, Boolean(editing));
  const view = useViewport(box, flow.placing, props.handle);
  const changes = useNodeChanges(flow.placing, selection, props.onSelect, setDragged);
  const gestures = useConnectGestures(editing ?? null, view.toWorld);
  const active = selection.tasks[selection.tasks.length - 1];

  const onDragStop = (_: unknown, __: unknown, nodes: TaskFlowNode[]) => {
    const moved = nodes
      .filter((n) => dragged.has(n.id))
      .map((n) => ({ id: n.id, x: Math.round(n.position.x), y: Math.round(n.position.y) }));
    if (moved.length > 0) editing?.onMove(moved);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepFrom(active ?? null, event, flow.placing);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (next.open) props.onOpen?.(next.id);
    else {
      props.onSelect({ tasks: [next.id], edge: null });
      view.reveal(next.id);
    }
  };

  return (
    <div
      className={`canvas zoom-${view.level}${editing ? " editing" : ""}`}
      ref={box}
      data-testid="canvas"
      data-ready={view.isReady}
    >
      <LevelContext value={view.level}>
        <ReactFlow<TaskFlowNode, PlanFlowEdge>
          nodes={flow.nodes}
          edges={flow.edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onInit={view.onInit}
          onMove={view.onMove}
          onNodesChange={changes}
          onNodeDragStart={view.onDragStart}
          onNodeDragStop={onDragStop}
          onNodeDoubleClick={(_, node) => props.onOpen?.(node.id)}
          onNodeMouseEnter={props.onHover ? (_, node) => props.onHover?.(node.id) : undefined}
          onNodeMouseLeave={props.onHover ? () => props.onHover?.(null) : undefined}
          onEdgeClick={(_, edge) => props.onSelect({ tasks: [], edge: edge.id })}
          onPaneClick={() => props.onSelect({ tasks: [], edge: null })}
          onKeyDown={onKeyDown}
          {...gestures}
          connectionLineComponent={ConnectionLine}
          isValidConnection={(c) => mayConnect(c.target)}
          nodesDraggable={Boolean(editing)}
          nodesConnectable={Boolean(editing)}
          edgesReconnectable={Boolean(editing)}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode="Shift"
          selectionOnDrag={Boolean(editing) && !props.hand}
          selectionMode={SelectionMode.Partial}
          panOnDrag={editing && !props.hand ? [1, 2] : true}
          panOnScroll
          zoomOnDoubleClick={false}
          snapToGrid
          snapGrid={[SNAP, SNAP]}
          minZoom={0.1}
          maxZoom={3}
          connectionRadius={28}
          reconnectRadius={14}
          elevateNodesOnSelect={false}
          onlyRenderVisibleElements={tasks.length > DRAW_ONLY_VISIBLE_FROM}
          proOptions={{ hideAttribution: true }}
          role="application"
          aria-label={props.label}
          aria-activedescendant={active ? cardId(active) : undefined}
          tabIndex={0}
          data-testid="canvas-flow"
        />
      </LevelContext>
      {editing ? <RefusalTip /> : null}
      <WaveRuler placing={flow.placing} />
      {tasks.length > 0 ? (
        <MiniMap tasks={tasks} placing={flow.placing} selected={selection.tasks} bottom={props.bottomInset ?? 0} />
      ) : null}
      {props.children}
    </div>
  );
}

/** Selection and dragging, as React Flow reports them, into the screen's selection and the places under the pointer. */
function useNodeChanges(
  placing: Placing,
  selection: CanvasSelection,
  onSelect: Props["onSelect"],
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

function useConnectGestures(editing: Editing | null, toWorld: (client: Point) => Point) {
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

/** The edge under a point of the window, as its two tasks. */
export function edgeUnder(client: Point, edges: readonly CanvasEdge[]): CanvasEdge | null {
  const found = document.elementFromPoint(client.x, client.y)?.closest<HTMLElement>(".react-flow__edge");
  return edges.find((e) => edgeId(e.from, e.to) === found?.dataset.id) ?? null;
}
