// What the editor remembers and can do: panels, palette drag, canvas gestures, keys, clipboard. It draws nothing.
import { useCallback, useMemo, useRef, useState } from "react";
import { aimAt, edgeUnder } from "../../components/canvas/dropTarget";
import { CARD, type Point, SNAP } from "../../components/canvas/model";
import type { Editing } from "../../components/canvas/PlanCanvas";
import { type CanvasHandle, zoomKeys } from "../../components/canvas/viewport";
import { useKeys } from "../../components/controls/keys";
import { focusWork } from "../../components/controls/work";
import type { DraftView } from "../../ipc/bindings";
import { draftCards, draftEdges } from "../../state/cards";
import { useCommands } from "../../state/commands";
import { edit } from "../../state/draft";
import { useEstimate } from "../../state/estimate";
import { byTask, slowest } from "../../state/estimateTexts";
import { useProposal } from "../../state/proposal";
import { withProposal } from "../../state/proposalCards";
import { useSelection } from "../../state/selection";
import { useTools } from "../../state/tools";
import { type ActContext, searchActs } from "./acts";
import { addTask, putBetween, verdicts } from "./commands";
import { connect, reconnect } from "./connecting";
import { openFind } from "./find/findStore";
import { withProposed } from "./listChanges";
import { openMenu } from "./menuStore";
import { moreActs } from "./moreActs";
import { nearOf } from "./near";
import { addNote, notesOf, setNote } from "./notes";
import { planKeys } from "./planKeys";
import { useClipboard } from "./useClipboard";
import { type Mode, usePanels } from "./useModes";
import { usePaletteDrag } from "./usePaletteDrag";

/** Where the small palette was asked for, and what the task chosen there is put behind or between. */
export type Adding = { after: string[]; before: string[]; world: Point | null; client: Point };
type Modes = { mode: Mode; setMode: (mode: Mode) => void; setHand: (on: boolean) => void };
export function useEditor(view: DraftView, modes: Modes) {
  const canvas = useRef<CanvasHandle>(null);
  const find = useRef<HTMLInputElement>(null);
  const [hasMap, setMap] = useState(true);
  const [adding, setAdding] = useState<Adding | null>(null);
  const panels = usePanels();
  const { right } = panels;
  const estimate = useEstimate(view);
  const estimates = useMemo(() => byTask(estimate), [estimate]);
  const proposed = useProposal((s) => (s.run === view.run ? s.view : null));
  const { tasks, edges } = useMemo(
    () => withProposal(draftCards(view, [], estimates), draftEdges(view), proposed),
    [view, estimates, proposed],
  );
  const changed = useMemo(() => withProposed(view, proposed), [view, proposed]);
  const waveNote = useCallback((ids: readonly string[]) => slowest(estimates, ids), [estimates]);
  const notes = useMemo(() => notesOf(view), [view]);
  const tools = useTools((s) => s.tools);
  const near = useCallback((id: string) => nearOf(view, id, tools ?? []), [view, tools]);
  const isEditable = view.isDraft;

  const addBelow = useCallback(
    (task: string) => void addTask(task, { after: useSelection.getState().tasks.slice(-1) }),
    [],
  );
  const drag = useCanvasDrop(canvas, edges, panels.hideLeft, addBelow);
  const editing = useEditing(view.run, isEditable, setAdding);
  const inspect = useCallback(() => {
    if (!right.isOpen) right.toggle();
    window.setTimeout(() => enterTitle(MOST_FRAMES), 0);
  }, [right]);
  const acts: ActContext = {
    view,
    get canvas() {
      return modes.mode === "canvas" ? canvas.current : null;
    },
    inspect,
    addAt: (client) => setAdding({ after: [], before: [], world: canvas.current?.toWorld(client) ?? null, client }),
    insertOn: (from, to, client) => editing?.onInsert(from, to, client),
    addNote: (client) => void (canvas.current && addNote(canvas.current.toWorld(client))),
    find: openFind,
  };
  const toggleMap = () => setMap((on) => !on);
  const setMode = (mode: Mode) => {
    modes.setMode(mode);
    window.setTimeout(focusWork, 0);
  };
  useCommands(() => [
    ...moreActs({ ...acts, canvas: acts.canvas, mode: modes.mode, setMode, panels, addBelow }),
    ...(isEditable ? searchActs(acts) : []),
  ]);
  useKeys(planKeys({ view, canvas, find, ...modes, setMode, ...panels, addBelow, inspect, acts, toggleMap }), "plan");
  useKeys(zoomKeys(canvas), "canvas");
  useClipboard(isEditable, canvas);
  return {
    ...panels,
    canvas,
    setMode,
    changed,
    estimate,
    estimates,
    waveNote,
    find,
    adding,
    setAdding,
    tasks,
    edges,
    notes,
    near,
    hasMap,
    isEditable,
    addBelow,
    drag,
    editing,
    inspect,
    acts,
  };
}

const MOST_FRAMES = 60;

/** Into the title of the task that is chosen, once the inspector has drawn that one and no longer the one before. */
function enterTitle(left: number): void {
  const [id] = useSelection.getState().tasks;
  if (id === undefined || left === 0) return;
  const shown = document.querySelector(`.inspector[data-task="${CSS.escape(id)}"]`);
  if (shown) shown.querySelector<HTMLElement>('[data-testid="field-title"]')?.focus();
  else requestAnimationFrame(() => enterTitle(left - 1));
}

/** Dragging from the palette onto the canvas: the ghost snaps where the card will lie, an edge under it is put apart. */
function useCanvasDrop(
  canvas: React.RefObject<CanvasHandle | null>,
  edges: ReturnType<typeof draftEdges>,
  onDropped: () => void,
  addBelow: (task: string) => void,
) {
  const isOver = (client: Point) =>
    document.elementsFromPoint(client.x, client.y).some((e) => e.matches('[data-testid="canvas"]'));
  return usePaletteDrag({
    onMove: (client) => {
      const handle = canvas.current;
      if (!handle || !isOver(client)) {
        aimAt(null);
        return null;
      }
      aimAt(edgeUnder(client, edges));
      const at = handle.toWorld(client);
      const corner = { x: snap(at.x - CARD.width / 2), y: snap(at.y - CARD.height / 2) };
      return { at: handle.toClient(corner), zoom: handle.zoomNow() };
    },
    onDrop: (dragged, client) => {
      aimAt(null);
      if (!isOver(client) || !canvas.current) return;
      const at = canvas.current.toWorld(client);
      const split = edgeUnder(client, edges);
      onDropped();
      void addTask(dragged.task, split ? { after: [split.from], before: [split.to], at: null } : { at });
    },
    onCancel: () => aimAt(null),
    onClick: (dragged) => addBelow(dragged.task),
  });
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}

function useEditing(run: string, isEditable: boolean, onAdd: (adding: Adding) => void): Editing | null {
  return useMemo(
    () =>
      isEditable
        ? {
            onMove: (positions) => void edit([{ move: { positions } }]),
            onConnect: (from, to) => void connect(from, to),
            onReconnect: (from, to, newTo) => void reconnect(from, to, newTo),
            onDisconnect: (from, to) => void edit([{ disconnect: { from, to } }]),
            verdicts: (from) => verdicts(run, from),
            onConnectToEmpty: (from, world, client) => onAdd({ after: [from], before: [], world, client }),
            onPutBetween: (task, from, to) => void putBetween(task, from, to),
            onMenu: openMenu,
            onInsert: (from, to, client) => onAdd({ after: [from], before: [to], world: null, client }),
            onNote: (note, id) => void setNote(note, id),
          }
        : null,
    [run, isEditable, onAdd],
  );
}
