// Notes on the canvas: a person's words beside the cards, moved by dragging or Alt and arrows, sized with Shift too,
// written by Enter or a double click. They are drawn under the cards and run nothing.
import { useReactFlow, ViewportPortal } from "@xyflow/react";
import { X } from "lucide-react";
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useRef, useState } from "react";
import { t } from "../../text";
import { visible } from "../../text/format";
import { type Point, SNAP } from "./model";

export type CanvasNote = { id: string; text: string; x: number; y: number; width: number; height: number };

type Props = {
  notes: readonly CanvasNote[];
  /** Null removes it; absent: it can only be read. */
  onChange?: ((note: CanvasNote | null, id: string) => void) | undefined;
};

export const Notes = memo(function Notes({ notes, onChange }: Props) {
  if (notes.length === 0) return null;
  return (
    <ViewportPortal>
      <div className="notes">
        {notes.map((note) => (
          <Note key={note.id} note={note} onChange={onChange} />
        ))}
      </div>
    </ViewportPortal>
  );
});

type Drag = { start: Point; what: "move" | "size"; by: Point };

function Note({ note, onChange }: { note: CanvasNote; onChange: Props["onChange"] }) {
  const flow = useReactFlow();
  const [drag, setDrag] = useState<Drag | null>(null);
  const [isWriting, setWriting] = useState(note.text === "" && Boolean(onChange));
  const now = drag ? moved(note, drag) : note;
  const start = (what: Drag["what"]) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || !onChange || isWriting) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ start: { x: event.clientX, y: event.clientY }, what, by: { x: 0, y: 0 } });
  };
  const go = (event: PointerEvent<HTMLElement>) => {
    if (!drag) return;
    const zoom = flow.getZoom();
    const by = { x: (event.clientX - drag.start.x) / zoom, y: (event.clientY - drag.start.y) / zoom };
    setDrag({ ...drag, by });
  };
  const stop = () => {
    if (drag && (drag.by.x !== 0 || drag.by.y !== 0)) onChange?.(moved(note, drag), note.id);
    setDrag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isWriting || !onChange) return;
    const step = { ArrowLeft: [-SNAP, 0], ArrowRight: [SNAP, 0], ArrowUp: [0, -SNAP], ArrowDown: [0, SNAP] }[event.key];
    const by = { x: step?.[0] ?? 0, y: step?.[1] ?? 0 };
    if (event.altKey && event.shiftKey && step) onChange(moved(note, { what: "size", by }), note.id);
    else if (event.altKey && step)
      onChange({ ...note, x: note.x + (step[0] ?? 0), y: note.y + (step[1] ?? 0) }, note.id);
    else if (event.key === "Enter" || event.key === "F2") setWriting(true);
    else if (event.key === "Delete" || event.key === "Backspace") onChange(null, note.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers = { onPointerMove: go, onPointerUp: stop, onPointerCancel: () => setDrag(null) };
  const place = { transform: `translate(${now.x}px,${now.y}px)`, width: now.width, height: now.height };
  return (
    <div
      className="canvas-note nopan nodrag"
      style={place}
      role="group"
      aria-label={t.canvas.noteLabel(note.text)}
      tabIndex={0}
      onPointerDown={start("move")}
      {...handlers}
      onDoubleClick={() => onChange && setWriting(true)}
      onKeyDown={onKeyDown}
      data-testid={`note-${note.id}`}
    >
      {isWriting ? (
        <Writing
          text={note.text}
          onDone={(text) => {
            setWriting(false);
            if (text.trim() === "") onChange?.(null, note.id);
            else if (text !== note.text) onChange?.({ ...note, text }, note.id);
          }}
        />
      ) : (
        <p dir="auto">{visible(note.text)}</p>
      )}
      {onChange && !isWriting ? (
        <>
          <button
            type="button"
            className="note-shut"
            aria-label={t.canvas.noteRemove}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => onChange(null, note.id)}
          >
            <X size={12} aria-hidden="true" />
          </button>
          <i className="note-size" onPointerDown={start("size")} {...handlers} />
        </>
      ) : null}
    </div>
  );
}

const LEAST = { width: 96, height: 48 };

function moved(note: CanvasNote, { what, by }: Pick<Drag, "what" | "by">): CanvasNote {
  const snap = (n: number) => Math.round(n / SNAP) * SNAP;
  if (what === "move") return { ...note, x: snap(note.x + by.x), y: snap(note.y + by.y) };
  const width = Math.max(LEAST.width, snap(note.width + by.x));
  return { ...note, width, height: Math.max(LEAST.height, snap(note.height + by.y)) };
}

function Writing({ text, onDone }: { text: string; onDone: (text: string) => void }) {
  const [now, setNow] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const isLeft = useRef(false);
  useEffect(() => field.current?.focus(), []);
  const leave = (what: string) => {
    if (isLeft.current) return;
    isLeft.current = true;
    onDone(what);
  };
  return (
    <textarea
      ref={field}
      aria-label={t.canvas.noteText}
      className="nowheel"
      dir="auto"
      value={now}
      placeholder={t.canvas.noteHint}
      onChange={(event) => setNow(event.target.value)}
      onBlur={() => leave(now)}
      onPointerDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        // What was typed is kept either way; undo takes it back.
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
          event.preventDefault();
          const note = event.currentTarget.closest<HTMLElement>(".canvas-note");
          leave(now);
          note?.focus();
        }
        event.stopPropagation();
      }}
      data-testid="note-field"
    />
  );
}
