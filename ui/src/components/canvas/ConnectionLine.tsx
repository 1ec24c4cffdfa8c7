// The line that follows the pointer while an edge is being drawn; red and dashed over a target that refuses it.
import type { ConnectionLineComponentProps } from "@xyflow/react";
import { mayConnect, useConnecting } from "./connecting";
import { useDirection } from "./direction";
import type { Point } from "./model";
import { rounded } from "./route";

export function ConnectionLine({ fromX, fromY, toX, toY, toNode }: ConnectionLineComponentProps) {
  const over = useConnecting((s) => s.over?.task ?? null);
  const target = over ?? toNode?.id ?? null;
  const refused = target !== null && !mayConnect(target);
  const isDown = useDirection((s) => s.direction === "down");
  const path = rounded(
    isDown
      ? bent({ x: fromX, y: fromY }, { x: toX, y: toY })
      : bent({ x: fromY, y: fromX }, { x: toY, y: toX }).map(({ x, y }) => ({ x: y, y: x })),
  );
  return <path className={`drawing${refused ? " refused" : ""}`} d={path} />;
}

/** Down, across, and down again. */
function bent(from: Point, to: Point): Point[] {
  const turn = to.y > from.y + 32 ? to.y - 16 : from.y + 16;
  return [from, { x: from.x, y: turn }, { x: to.x, y: turn }, to];
}
