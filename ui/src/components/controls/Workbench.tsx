// A canvas with a panel at either side. The canvas never gets under 480: the left panel folds first, then the right one
// lies over it. Sizes belong to the caller.
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

type Props = { left?: Side; right?: Side; children: ReactNode; onFold?: (isFolded: boolean) => void };

const LEAST_CANVAS = 480;

export function Workbench({ left, right, children, onFold }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const rightSize = right?.isOpen ? right.size : 0;
  const isLeftFolded = left !== undefined && width - left.size - rightSize < LEAST_CANVAS;
  const isRightOver = right !== undefined && width - rightSize < LEAST_CANVAS;
  useLayoutEffect(() => onFold?.(isLeftFolded), [isLeftFolded, onFold]);
  // Notices keep clear of the left panel.
  const docked = left?.isOpen && !isLeftFolded ? left.size : 0;
  useLayoutEffect(() => {
    document.documentElement.style.setProperty("--left-panel", `${docked / 16}rem`);
    return () => void document.documentElement.style.removeProperty("--left-panel");
  }, [docked]);
  return (
    <div className="bench" ref={box}>
      {left?.isOpen ? <Panel side={left} place="left" isOver={isLeftFolded} /> : null}
      <div className="work" data-region="work">
        {children}
      </div>
      {right?.isOpen ? <Panel side={right} place="right" isOver={isRightOver} /> : null}
    </div>
  );
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
