// Dragging from the palette by pointer events (not the browser's drag and drop, which no driver can play and which WebKit
// draws its own way): a ghost card follows the pointer; a click without a move adds the task at once.
import { type ReactNode, type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Point } from "../../components/canvas/model";
import { kindName } from "../../components/canvas/TaskCard";
import { KindTile } from "../../components/marks/marks";

export type Dragged = { label: string; kind: string; task: string };
export type StartDrag = (event: ReactPointerEvent, dragged: Dragged) => void;

const LEAST_MOVE = 4;

/** Where the ghost lies over the canvas: its corner in the window, and how large cards are there. */
export type Spot = { at: Point; zoom: number };
type State = { dragged: Dragged; start: Point; at: Point; isMoving: boolean; spot: Spot | null };
type Acts = {
  /** Null away from the canvas, where the ghost hangs on the pointer. */
  onMove: (client: Point) => Spot | null;
  onDrop: (dragged: Dragged, client: Point) => void;
  onCancel: () => void;
  onClick: (dragged: Dragged) => void;
};

export function usePaletteDrag(acts: Acts): { start: StartDrag; ghost: ReactNode } {
  const [drag, setDrag] = useState<State | null>(null);
  const live = useRef<State | null>(null);
  const show = (next: State | null) => {
    live.current = next;
    setDrag(next);
  };
  const act = useRef(acts);
  act.current = acts;
  const isOn = drag !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens from the press to the release; `show` only sets
  useEffect(() => {
    if (!isOn) return;
    const onMove = (event: PointerEvent) => {
      const now = live.current;
      if (!now) return;
      const at = { x: event.clientX, y: event.clientY };
      const isMoving = now.isMoving || Math.hypot(at.x - now.start.x, at.y - now.start.y) >= LEAST_MOVE;
      show({ ...now, at, isMoving, spot: isMoving ? act.current.onMove(at) : null });
    };
    const onUp = (event: PointerEvent) => {
      const now = live.current;
      show(null);
      if (now?.isMoving) act.current.onDrop(now.dragged, { x: event.clientX, y: event.clientY });
      else if (now) act.current.onClick(now.dragged);
    };
    const onCancel = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return;
      show(null);
      act.current.onCancel();
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onCancel);
    window.addEventListener("keydown", onCancel);
    return () => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", onCancel);
      window.removeEventListener("keydown", onCancel);
    };
  }, [isOn]);
  const start: StartDrag = (event, dragged) => {
    if (event.button !== 0) return;
    const at = { x: event.clientX, y: event.clientY };
    show({ dragged, start: at, at, isMoving: false, spot: null });
  };
  return { start, ghost: drag?.isMoving ? createPortal(<Ghost drag={drag} />, document.body) : null };
}

function Ghost({ drag }: { drag: State }) {
  const { at, spot, dragged } = drag;
  const place = spot
    ? `translate(${spot.at.x}px,${spot.at.y}px) scale(${spot.zoom})`
    : `translate(${at.x}px,${at.y}px) translate(-50%,-50%)`;
  return (
    <div className={`drag-ghost${spot ? " on" : ""}`} style={{ transform: place }} data-testid="ghost">
      <div className="card-head">
        <KindTile kind={dragged.kind} />
        <div className="card-text">
          <b>{dragged.label}</b>
          <span>{kindName(dragged.kind)}</span>
        </div>
      </div>
    </div>
  );
}
