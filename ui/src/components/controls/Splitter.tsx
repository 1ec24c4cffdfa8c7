// The edge of a side panel: drag, arrow keys (16 px), double-click to reset. It owns no size; the caller keeps it.
import type { KeyboardEvent, PointerEvent } from "react";
import { useRef } from "react";

type Props = {
  label: string;
  /** On which edge of the panel the handle lies. */
  side: "left" | "right" | "top";
  size: number;
  min: number;
  max: number;
  usual: number;
  onSize: (size: number) => void;
  /** The size at rest, to be kept. */
  onRest?: (size: number) => void;
};

export function Splitter({ label, side, size, min, max, usual, onSize, onRest }: Props) {
  const start = useRef<{ at: number; size: number } | null>(null);
  const clamp = (n: number) => Math.round(Math.min(max, Math.max(min, n)));
  const along = (event: PointerEvent) => (side === "top" ? event.clientY : event.clientX);
  const sign = side === "right" ? 1 : -1;
  const settle = (next: number) => {
    onSize(next);
    onRest?.(next);
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { at: along(event), size };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (start.current) onSize(clamp(start.current.size + sign * (along(event) - start.current.at)));
  };
  const onPointerUp = () => {
    if (start.current) onRest?.(size);
    start.current = null;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const grow = side === "top" ? "ArrowUp" : side === "right" ? "ArrowRight" : "ArrowLeft";
    const shrink = side === "top" ? "ArrowDown" : side === "right" ? "ArrowLeft" : "ArrowRight";
    if (event.key === grow) settle(clamp(size + 16));
    else if (event.key === shrink) settle(clamp(size - 16));
    else if (event.key === "Home") settle(usual);
    else return;
    event.preventDefault();
  };

  return (
    <div
      className={`splitter ${side}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={side === "top" ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onDoubleClick={() => settle(usual)}
      onKeyDown={onKeyDown}
    />
  );
}
