// The line that follows the pointer while an edge is being drawn; red and dashed over a target that refuses it.
import type { ConnectionLineComponentProps } from "@xyflow/react";
import { mayConnect, useConnecting } from "./connecting";
import { rounded } from "./route";

export function ConnectionLine({ fromX, fromY, toX, toY, toNode }: ConnectionLineComponentProps) {
  const over = useConnecting((s) => s.over?.task ?? null);
  const target = over ?? toNode?.id ?? null;
  const refused = target !== null && !mayConnect(target);
  const turn = toY > fromY + 32 ? toY - 16 : fromY + 16;
  const path = rounded([
    { x: fromX, y: fromY },
    { x: fromX, y: turn },
    { x: toX, y: turn },
    { x: toX, y: toY },
  ]);
  return <path className={`drawing${refused ? " refused" : ""}`} d={path} />;
}
