// The small palette that opens where a connection was let go over empty canvas: choose what comes next.
import { useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import type { Point } from "../../components/canvas/model";
import { KindTile } from "../../components/marks/marks";
import { t } from "../../text";
import { KINDS, type Kind, newTask } from "./templates";

type Props = { at: Point; onAdd: (task: string) => void; onClose: () => void };

const SIZE = { width: 220, height: 250 };

export function AddMenu({ at, onAdd, onClose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("button")?.focus();
    const onDown = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) onClose();
    };
    window.addEventListener("pointerdown", onDown);
    return () => window.removeEventListener("pointerdown", onDown);
  }, [onClose]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const here = buttons.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown") buttons[(here + 1) % buttons.length]?.focus();
    else if (event.key === "ArrowUp") buttons[(here - 1 + buttons.length) % buttons.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = {
    left: Math.min(at.x, window.innerWidth - SIZE.width - 8),
    top: Math.min(at.y, window.innerHeight - SIZE.height - 8),
  };
  return createPortal(
    <div
      className="popup add-menu"
      role="menu"
      tabIndex={-1}
      aria-label={t.plan.addHere}
      ref={box}
      style={place}
      onKeyDown={onKeyDown}
      data-testid="add-menu"
    >
      {KINDS.map((kind: Kind) => (
        <button
          key={kind}
          type="button"
          role="menuitem"
          className="item"
          onClick={() => onAdd(newTask(kind))}
          data-testid={`add-${kind}`}
        >
          <KindTile kind={kind} small />
          {t.words.kind[kind]}
          <span className="note">{t.words.kindNote[kind]}</span>
        </button>
      ))}
    </div>,
    document.body,
  );
}
