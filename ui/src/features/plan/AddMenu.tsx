// The small palette at the pointer: where a connection was let go over empty canvas, on an edge, or where a person asked
// for it. Typing finds kinds of task and tools; arrow keys choose, Enter adds, Escape closes.
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Point } from "../../components/canvas/model";
import { keyOf } from "../../components/controls/keys";
import { EffectIcon, KindTile } from "../../components/marks/marks";
import type { ToolView } from "../../ipc/bindings";
import { useTools } from "../../state/tools";
import { t } from "../../text";
import { KINDS, newTask } from "./templates";

type Props = { at: Point; onAdd: (task: string) => void; onClose: () => void };
type Entry = { id: string; name: string; note: string; kind: string; tool: ToolView | null; make: () => string };

const SIZE = { width: 264, height: 330 };
const NO_TOOLS: readonly ToolView[] = [];

export function AddMenu({ at, onAdd, onClose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [ix, setIx] = useState(0);
  const shown = useShown(text);
  const chosen = shown[Math.min(ix, shown.length - 1)];
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector<HTMLElement>("input")?.focus();
    const onDown = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) onClose();
    };
    window.addEventListener("pointerdown", onDown);
    return () => {
      window.removeEventListener("pointerdown", onDown);
      // Who has put the focus elsewhere meanwhile is left alone.
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key === "escape") onClose();
    else if (key === "arrowdown") setIx(Math.min(shown.length - 1, ix + 1));
    else if (key === "arrowup") setIx(Math.max(0, ix - 1));
    else if (key === "enter") chosen && onAdd(chosen.make());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = {
    left: Math.max(8, Math.min(at.x, window.innerWidth - SIZE.width - 8)),
    top: Math.max(8, Math.min(at.y, window.innerHeight - SIZE.height - 8)),
  };
  return createPortal(
    <div
      className="popup add-menu"
      role="dialog"
      aria-label={t.plan.addHere}
      ref={box}
      style={place}
      onBlur={(event) => {
        // Whoever goes elsewhere by Tab has done with it.
        if (event.relatedTarget && !box.current?.contains(event.relatedTarget)) onClose();
      }}
      data-testid="add-menu"
    >
      <div className="field">
        <Search className="icon t3" size={14} aria-hidden="true" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="add-list"
          aria-activedescendant={chosen ? `add-entry-${chosen.id}` : undefined}
          aria-label={t.plan.addFind}
          placeholder={t.plan.addFind}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setIx(0);
          }}
          onKeyDown={onKeyDown}
          data-testid="add-find"
        />
      </div>
      <div className="add-list" id="add-list" role="listbox" aria-label={t.plan.addHere}>
        {shown.length === 0 ? <p className="item t3">{t.plan.addNone}</p> : null}
        {shown.map((entry, at) => (
          <Row
            key={entry.id}
            entry={entry}
            isChosen={entry === chosen}
            onPick={() => onAdd(entry.make())}
            onHover={() => setIx(at)}
          />
        ))}
      </div>
    </div>,
    document.body,
  );
}

function useShown(text: string): Entry[] {
  const tools = useTools((s) => s.tools) ?? NO_TOOLS;
  return useMemo(() => {
    const kinds = KINDS.map<Entry>((kind) => ({
      id: kind,
      name: t.words.kind[kind] ?? kind,
      note: t.words.kindNote[kind] ?? "",
      kind,
      tool: null,
      make: () => newTask(kind),
    }));
    const known = tools.map<Entry>((tool) => ({
      id: `tool-${tool.name}`,
      name: tool.name,
      note: t.words.effect[tool.effect],
      kind: "tool",
      tool,
      make: () => newTask("tool", tool),
    }));
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (e: Entry) =>
      words.every((w) => `${e.name} ${e.note} ${e.tool?.description ?? ""}`.toLowerCase().includes(w));
    return [...kinds, ...known].filter(has);
  }, [text, tools]);
}

type RowProps = { entry: Entry; isChosen: boolean; onPick: () => void; onHover: () => void };

function Row({ entry, isChosen, onPick, onHover }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the combobox above
    <div
      id={`add-entry-${entry.id}`}
      className="item"
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onClick={onPick}
      onMouseMove={onHover}
      ref={isChosen ? scrollIn : undefined}
      data-testid={`add-${entry.id}`}
    >
      {entry.tool ? (
        <span className="palette-effect t3">
          <EffectIcon effect={entry.tool.effect} />
        </span>
      ) : (
        <KindTile kind={entry.kind} small />
      )}
      <span className={`el${entry.tool ? " mono" : ""}`}>{entry.name}</span>
      <span className="note">{entry.note}</span>
    </div>
  );
}

function scrollIn(element: HTMLElement | null): void {
  element?.scrollIntoView?.({ block: "nearest" });
}
