// The canvas: React Flow with this app's cards, edges, keys and pointer rules. What a gesture means is the screen's to say.
import { ReactFlow, type ReactFlowProps, ReactFlowProvider, SelectionMode, useKeyPress } from "@xyflow/react";
import { type KeyboardEvent, type ReactNode, type Ref, useMemo, useRef, useState } from "react";
import { ConnectionLine } from "./ConnectionLine";
import { mayConnect } from "./connecting";
import { useDirection } from "./direction";
import { type EdgeActs, EdgeActsContext } from "./EdgeTools";
import { type Placing, useFlowElements } from "./flow";
import { LEAST, MOST } from "./framing";
import { useConnectGestures, useDropOnEdge, useMenuGestures, useNodeChanges, usePointer } from "./gestures";
import { LevelContext } from "./level";
import { MiniMap } from "./MiniMap";
import { type CanvasEdge, type CanvasTask, type Point, SNAP } from "./model";
import { type Near, NearContext } from "./NearCard";
import { type CanvasNote, Notes } from "./Notes";
import { PlanEdge, type PlanFlowEdge } from "./PlanEdge";
import { RefusalTip } from "./RefusalTip";
import { useSteady } from "./steady";
import { cardId, type TaskFlowNode, TaskNode } from "./TaskNode";
import { type CanvasHandle, useViewport } from "./viewport";
import { WaveRuler } from "./WaveRuler";
import { stepFrom } from "./walk";

export type MenuPlace = { what: "task" | "plan"; at: Point } | { what: "edge"; from: string; to: string; at: Point };

export type Editing = {
  onMove: (places: { id: string; x: number; y: number }[]) => void;
  onConnect: (from: string, to: string) => void;
  onReconnect: (from: string, to: string, newTo: string) => void;
  onDisconnect: (from: string, to: string) => void;
  /** Asked when a connection starts: target → null or why not. */
  verdicts: (from: string) => Promise<Map<string, string | null>>;
  /** Released over empty canvas. */
  onConnectToEmpty: (from: string, world: Point, client: Point) => void;
  /** A card without connections, let go over an edge. */
  onPutBetween: (task: string, from: string, to: string) => void;
  onMenu: (place: MenuPlace) => void;
  onInsert: EdgeActs["onInsert"];
  onNote: (note: CanvasNote | null, id: string) => void;
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
  /** Whether a key acts on what is chosen, so that the card walked to is chosen for it. */
  isTaskKey?: (event: globalThis.KeyboardEvent) => boolean;
  editing?: Editing | null;
  hand?: boolean;
  lit?: ReadonlySet<string> | null;
  bottomInset?: number;
  notes?: readonly CanvasNote[];
  hasMap?: boolean;
  near?: ((id: string) => Near | null) | null;
  /** What the ruler says of a wave. */
  waveNote?: (ids: readonly string[]) => string | null;
  handle?: Ref<CanvasHandle>;
  /** Under this name the view is found again by who comes back. */
  memory?: string;
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
const NO_NOTES: readonly CanvasNote[] = [];

type FlowProps = ReactFlowProps<TaskFlowNode, PlanFlowEdge>;

/** What never changes. Made once: another array or function is another value to React Flow. */
const STEADY: FlowProps = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  connectionLineComponent: ConnectionLine,
  isValidConnection: (connection) => mayConnect(connection.target),
  nodesFocusable: false,
  edgesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: "Shift",
  multiSelectionKeyCode: "Shift",
  panOnScroll: true,
  zoomOnDoubleClick: false,
  snapToGrid: true,
  snapGrid: [SNAP, SNAP],
  minZoom: LEAST,
  maxZoom: MOST,
  connectionRadius: 28,
  reconnectRadius: 14,
  elevateNodesOnSelect: false,
  proOptions: { hideAttribution: true },
};
const MIDDLE_BUTTON = [1];

function Flow(props: Props) {
  const { tasks, editing, selection } = props;
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(new Map());
  const box = useRef<HTMLDivElement>(null);
  const direction = useDirection((s) => s.direction);
  const walked = useWalked(selection);
  const flow = useFlowElements(tasks, props.edges, selection, props.lit ?? null, dragged, Boolean(editing), walked.now);
  const pointer = usePointer();
  const isWhole = useKeyPress("Alt");
  const view = useViewport(box, flow.placing, props.handle, pointer.at, selection.tasks, props.memory);
  const changes = useNodeChanges(flow.placing, selection, props.onSelect, setDragged);
  const gestures = useConnectGestures(editing ?? null, view.toWorld);
  const menus = useMenuGestures(editing ?? null, selection, props.onSelect);
  const between = useDropOnEdge(editing ?? null, props.edges);
  const acts = useMemo(() => (editing ? { onInsert: editing.onInsert, onCut: editing.onDisconnect } : null), [editing]);
  const active = walked.now !== undefined && flow.placing.places.has(walked.now) ? walked.now : undefined;

  const onDragStop = (event: MouseEvent | TouchEvent, __: unknown, nodes: TaskFlowNode[]) => {
    const moved = between.onStop(event, nodes) ? [] : movedOf(nodes, dragged);
    if (moved.length > 0) editing?.onMove(moved);
  };
  const steady = useSteady<FlowProps>({
    ...gestures,
    ...menus.handlers,
    onNodesChange: changes,
    onNodeDrag: between.onDrag,
    onNodeDragStop: onDragStop,
    onNodeDoubleClick: (_, node) => props.onOpen?.(node.id),
    ...hoverOf(props.onHover),
    onEdgeClick: (_, edge) => props.onSelect({ tasks: [], edge: edge.id }),
    onPaneClick: () => {
      walked.forget();
      props.onSelect({ tasks: [], edge: null });
    },
  });
  const onKeyDown = useCanvasKeys(props, flow.placing, active ?? null, view, (id) => menus.onKey(id, box.current));

  return (
    <div
      className={`canvas zoom-${view.level}${active ? " walked" : ""}${editing ? " editing" : ""}${direction === "right" ? " rightward" : ""}`}
      ref={box}
      {...pointer.handlers}
      data-testid="canvas"
      data-ready={view.isReady}
    >
      <Contexts level={view.level} acts={acts} near={props.near ?? null}>
        <ReactFlow<TaskFlowNode, PlanFlowEdge>
          nodes={flow.nodes}
          edges={flow.edges}
          onInit={view.onInit}
          onMove={view.onMove}
          {...STEADY}
          {...steady}
          onNodeDragStart={view.onDragStart}
          onKeyDown={onKeyDown}
          nodesDraggable={Boolean(editing)}
          nodesConnectable={Boolean(editing)}
          edgesReconnectable={Boolean(editing)}
          selectionOnDrag={Boolean(editing) && !props.hand}
          selectionMode={isWhole ? SelectionMode.Full : SelectionMode.Partial}
          panOnDrag={editing && !props.hand ? MIDDLE_BUTTON : true}
          onlyRenderVisibleElements={tasks.length > DRAW_ONLY_VISIBLE_FROM}
          role="application"
          aria-label={props.label}
          aria-activedescendant={active ? cardId(active) : undefined}
          tabIndex={0}
          data-testid="canvas-flow"
        >
          <Notes notes={props.notes ?? NO_NOTES} onChange={editing?.onNote} />
        </ReactFlow>
      </Contexts>
      {editing ? <RefusalTip /> : null}
      <WaveRuler placing={flow.placing} note={props.waveNote} />
      {tasks.length > 0 && props.hasMap !== false ? (
        <MiniMap tasks={tasks} placing={flow.placing} selected={selection.tasks} bottom={props.bottomInset ?? 0} />
      ) : null}
      {props.children}
    </div>
  );
}

/** Where nobody asks for it, no card listens. */
function hoverOf(onHover: Props["onHover"]): Pick<FlowProps, "onNodeMouseEnter" | "onNodeMouseLeave"> {
  if (!onHover) return {};
  return { onNodeMouseEnter: (_, node) => onHover(node.id), onNodeMouseLeave: () => onHover(null) };
}

function movedOf(nodes: readonly TaskFlowNode[], dragged: ReadonlyMap<string, Point>) {
  const those = nodes.filter((n) => dragged.has(n.id));
  return those.map((n) => ({ id: n.id, x: Math.round(n.position.x), y: Math.round(n.position.y) }));
}

/** The card that is walked to: the one chosen last, and still so once the choice is let go of by key. */
function useWalked(selection: CanvasSelection) {
  const at = useRef<string | undefined>(undefined);
  at.current = selection.tasks[selection.tasks.length - 1] ?? at.current;
  return {
    now: at.current,
    forget: () => {
      at.current = undefined;
    },
  };
}

type ContextProps = {
  level: React.ContextType<typeof LevelContext>;
  acts: EdgeActs | null;
  near: ((id: string) => Near | null) | null;
  children: ReactNode;
};

function Contexts({ level, acts, near, children }: ContextProps) {
  return (
    <LevelContext value={level}>
      <EdgeActsContext value={acts}>
        <NearContext value={near}>
          <div className="canvas-world">{children}</div>
        </NearContext>
      </EdgeActsContext>
    </LevelContext>
  );
}

/** How far an arrow moves the view while the hand is taken, in pixels. */
const PAN: Record<string, [number, number]> = {
  ArrowLeft: [64, 0],
  ArrowRight: [-64, 0],
  ArrowUp: [0, 64],
  ArrowDown: [0, -64],
};

/** Keys on the canvas itself: walking, opening, and the menu of the card that is walked to. */
function useCanvasKeys(
  props: Props,
  placing: Placing,
  active: string | null,
  view: { reveal: (ids: readonly string[]) => void; pan: (dx: number, dy: number) => void },
  onMenu: (id: string | null) => void,
) {
  return (event: KeyboardEvent) => {
    if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      event.preventDefault();
      onMenu(active);
      return;
    }
    const { tasks, edge } = props.selection;
    const isArrow = event.key.startsWith("Arrow") && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (props.hand && isArrow && !event.shiftKey) {
      view.pan(...(PAN[event.key] ?? [0, 0]));
      event.preventDefault();
      return;
    }
    const isMore = isArrow && event.shiftKey && active !== null;
    const { key, ctrlKey, altKey, metaKey } = event;
    const next = stepFrom(active, isMore ? { key, ctrlKey, altKey, metaKey, shiftKey: false } : event, placing);
    if (next === null) {
      if (active !== null && tasks.length === 0 && edge === null && props.isTaskKey?.(event.nativeEvent))
        props.onSelect({ tasks: [active], edge: null });
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (next.open) {
      if (!tasks.includes(next.id)) props.onSelect({ tasks: [next.id], edge: null });
      props.onOpen?.(next.id);
      return;
    }
    const more = tasks.length > 0 ? tasks : [active ?? next.id];
    props.onSelect({ tasks: isMore ? [...more.filter((id) => id !== next.id), next.id] : [next.id], edge: null });
    view.reveal([next.id]);
  };
}
