// A plan in the size of a stamp, drawn from its outline: boxes tinted by who does the work, and the edges between.
import { memo, useMemo } from "react";
import type { Outline } from "../ipc/bindings";
import { layOut } from "./canvas/layout";
import { CARD, GAP, type Point } from "./canvas/model";

const BOX = { width: 30, height: 10 };
const STEP = { x: (BOX.width + 8) / (CARD.width + GAP.column), y: 18 / GAP.wave };
const MOST_TASKS = 60;

const FAMILY: Record<string, string> = {
  __proto__: null as never,
  agent: "m",
  model: "m",
  human: "p",
  map: "s",
  subplan: "s",
};

export const PlanThumb = memo(function PlanThumb({ outline }: { outline: Outline }) {
  const drawing = useMemo(() => draw(outline), [outline]);
  return (
    <svg className="thumb" viewBox={drawing.viewBox} aria-hidden="true" preserveAspectRatio="xMidYMid meet">
      {drawing.lines.map((d, ix) => (
        <path key={ix} d={d} className="thumb-edge" />
      ))}
      {drawing.boxes.map((box) => (
        <rect
          key={box.id}
          x={box.x}
          y={box.y}
          width={BOX.width}
          height={BOX.height}
          rx={box.family === "p" ? 5 : 2.5}
          className={`thumb-box ${box.family}`}
        />
      ))}
    </svg>
  );
});

function draw(outline: Outline) {
  const tasks = outline.tasks.slice(0, MOST_TASKS);
  const links = tasks.flatMap((t) => t.dependencies.map((from) => ({ from, to: t.id })));
  const { positions } = layOut(
    tasks.map((t) => t.id),
    links,
    undefined,
    // Too small for any other.
    "down",
  );
  const place = (id: string): Point | null => {
    const p = positions.get(id);
    return p ? { x: p.x * STEP.x, y: p.y * STEP.y } : null;
  };
  const boxes = tasks.flatMap((t) => {
    const at = place(t.id);
    return at ? [{ id: t.id, ...at, family: FAMILY[t.taskType] ?? "x" }] : [];
  });
  const lines = links.flatMap(({ from, to }) => {
    const [a, b] = [place(from), place(to)];
    if (!a || !b) return [];
    const [x1, x2] = [a.x + BOX.width / 2, b.x + BOX.width / 2];
    return [`M${x1} ${a.y + BOX.height}V${b.y - 4}H${x2}V${b.y}`];
  });
  const left = Math.min(0, ...boxes.map((b) => b.x));
  const right = Math.max(BOX.width, ...boxes.map((b) => b.x + BOX.width));
  const bottom = Math.max(BOX.height, ...boxes.map((b) => b.y + BOX.height));
  const width = Math.max(150, right - left);
  const middle = (left + right) / 2;
  const height = Math.max(84, bottom);
  return { boxes, lines, viewBox: `${middle - width / 2 - 4} ${(bottom - height) / 2 - 4} ${width + 8} ${height + 8}` };
}
