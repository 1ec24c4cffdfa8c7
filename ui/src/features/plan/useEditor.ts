// What the editor remembers and can do: panels, palette drag, canvas gestures, keys, clipboard. It draws nothing.
import { useCallback, useMemo, useRef, useState } from "react";
import type { Point } from "../../components/canvas/model";
import { type Editing, edgeUnder } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { useKeys } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { draftCards, draftEdges } from "../../state/cards";
import { edit } from "../../state/draft";
import { usePanel } from "../../state/panels";
import { useSelection } from "../../state/selection";
import { addTask, verdicts } from "./commands";
import { planKeys } from "./planKeys";
import { useClipboard } from "./useClipboard";
import { usePaletteDrag } from "./usePaletteDrag";

/** Where a connection was let go over empty canvas. */
export type Adding = { from: string; world: Point; client: Point };
type Modes = { isList: boolean; setList: (on: boolean) => void; setHand: (on: boolean) => void };

export function useEditor(view: DraftView, modes: Modes) {
  const canvas = useRef<CanvasHandle>(null);
  const find = useRef<HTMLInputElement>(null);
  const [isFolded, setFolded] = useState(false);
  const [isLeftShown, setLeftShown] = useState(false);
  const [adding, setAdding] = useState<Adding | null>(null);
  const left = usePanel("plan.left");
  const right = usePanel("plan.right");
  const tasks = useMemo(() => draftCards(view), [view]);
  const edges = useMemo(() => draftEdges(view), [view]);
  const isEditable = view.isDraft;

  const addBelow = useCallback(
    (task: string) => void addTask(task, { after: useSelection.getState().tasks.slice(-1) }),
    [],
  );
  const drop = useCallback(
    (dragged: { task: string }, client: Point) => {
      const target = document.elementFromPoint(client.x, client.y);
      if (!target?.closest('[data-testid="canvas"]') || !canvas.current) return;
      const at = canvas.current.toWorld(client);
      const split = edgeUnder(client, edges);
      setLeftShown(false);
      void addTask(dragged.task, split ? { after: [split.from], before: [split.to], at: null } : { at });
    },
    [edges],
  );
  const drag = usePaletteDrag(drop, (dragged) => addBelow(dragged.task));
  const editing = useEditing(view.run, isEditable, setAdding);
  const inspect = useCallback(() => {
    if (!right.isOpen) right.toggle();
    window.setTimeout(() => document.querySelector<HTMLElement>('[data-testid="field-title"]')?.focus(), 0);
  }, [right]);
  const showLeft = () => setLeftShown(true);
  useKeys(planKeys({ view, canvas, find, ...modes, left, right, addBelow, inspect, tasks, showLeft, isFolded }));
  useClipboard(isEditable);
  const hideLeft = () => setLeftShown(false);
  return {
    canvas,
    find,
    isFolded,
    setFolded,
    isLeftShown,
    showLeft,
    hideLeft,
    adding,
    setAdding,
    left,
    right,
    tasks,
    edges,
    isEditable,
    addBelow,
    drag,
    editing,
    inspect,
  };
}

function useEditing(run: string, isEditable: boolean, onEmpty: (adding: Adding) => void): Editing | null {
  return useMemo(
    () =>
      isEditable
        ? {
            onMove: (positions) => void edit([{ move: { positions } }]),
            onConnect: (from, to) => void edit([{ connect: { from, to } }]),
            onReconnect: (from, to, newTo) => void edit([{ reconnect: { from, to, newFrom: from, newTo } }]),
            onDisconnect: (from, to) => void edit([{ disconnect: { from, to } }]),
            verdicts: (from) => verdicts(run, from),
            onConnectToEmpty: (from, world, client) => onEmpty({ from, world, client }),
          }
        : null,
    [run, isEditable, onEmpty],
  );
}
