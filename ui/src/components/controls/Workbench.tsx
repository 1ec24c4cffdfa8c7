// A canvas with a panel at either side. The canvas never gets under 480: the left panel folds first, then the right one
// lies over it; with larger text they stand one under the other. Sizes belong to the caller.
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Splitter } from "./Splitter";

export type Side = {
  label: string;
  resizeLabel: string;
  node: ReactNode;
  size: number;
  usual: number;
  min: number;
  max: number;
  isOpen: boolean;
  onSize: (size: number) => void;
  onRest: (size: number) => void;
};

type Props = {
  left?: Side;
  right?: Side;
  /** Where the left panel is what the screen is gone through by, the right one goes first. */
  rightYields?: boolean;
  children: ReactNode;
  onFold?: (isFolded: boolean) => void;
};

const LEAST_CANVAS = 480;
/** Of the text's own size: with large text a person looks at one thing at a time. */
const LEAST_LARGE = 240;

export function Workbench({ left, right: wanted, rightYields = false, children, onFold }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [{ width, scale }, setRoom] = useState({ width: Number.POSITIVE_INFINITY, scale: 1 });
  useLayoutEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(
      ([entry]) => entry && setRoom({ width: entry.contentRect.width, scale: textScale() }),
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const least = scale > 1 ? LEAST_LARGE * scale : LEAST_CANVAS;
  const sizes = ((left?.isOpen ? left.size : 0) + (wanted?.size ?? 0)) * scale;
  const right = rightYields && width - sizes < least ? undefined : wanted;
  const rightSize = right?.isOpen ? right.size * scale : 0;
  const isLeftFolded = left !== undefined && width - left.size * scale - rightSize < least;
  const isTight = right !== undefined && width - rightSize < least;
  const isStacked = isTight && scale > 1;
  useLayoutEffect(() => onFold?.(isLeftFolded), [isLeftFolded, onFold]);
  return (
    <div className={`bench${isStacked ? " stacked" : ""}`} ref={box}>
      {left?.isOpen ? <Panel side={left} place="left" isOver={isLeftFolded} /> : null}
      <div className="work" data-region="work">
        {children}
      </div>
      {right?.isOpen ? <Panel side={right} place="right" isOver={isTight && !isStacked} /> : null}
    </div>
  );
}

/** Panels are as wide as the text makes them. */
function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
}

function Panel({ side, place, isOver }: { side: Side; place: "left" | "right"; isOver: boolean }) {
  return (
    <aside
      className={`panel ${place}${isOver ? " over" : ""}`}
      style={{ width: `${side.size / 16}rem` }}
      aria-label={side.label}
      data-region={place}
    >
      {side.node}
      <Splitter
        label={side.resizeLabel}
        side={place === "left" ? "right" : "left"}
        size={side.size}
        min={side.min}
        max={side.max}
        usual={side.usual}
        onSize={side.onSize}
        onRest={side.onRest}
      />
    </aside>
  );
}
