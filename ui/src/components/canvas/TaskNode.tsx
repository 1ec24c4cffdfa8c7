// A card as React Flow's node: ports to connect, dimmed with the reason while an edge that it refuses is being drawn.
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo, useContext } from "react";
import { useConnecting } from "./connecting";
import { useDirection } from "./direction";
import { LevelContext } from "./level";
import type { CanvasTask } from "./model";
import { NearCard } from "./NearCard";
import { TaskCard } from "./TaskCard";

export type TaskNodeData = {
  task: CanvasTask;
  isSelected: boolean;
  isLit: boolean;
  isDim: boolean;
  canConnect: boolean;
  isActive: boolean;
};
export type TaskFlowNode = Node<TaskNodeData, "task">;

export const TaskNode = memo(
  function TaskNode({ data }: NodeProps<TaskFlowNode>) {
    const { task } = data;
    const level = useContext(LevelContext);
    const isDown = useDirection((s) => s.direction === "down");
    const refusal = useConnecting((s) => (s.from === null ? undefined : s.verdicts?.get(task.id)));
    const isRefused = typeof refusal === "string";
    return (
      <div
        id={cardId(task.id)}
        className={`node${task.kind === "map" ? " map" : ""}${isRefused ? " refused" : ""}${refusal === null ? " allowed" : ""}${data.isActive ? " active" : ""}`}
        role="group"
        aria-label={task.label}
        data-testid={`task-${task.id}`}
        data-status={task.status}
      >
        {level === "near" && data.isActive ? <NearCard task={task} /> : null}
        <TaskCard
          task={task}
          isSelected={data.isSelected}
          isLit={data.isLit}
          isDim={data.isDim || isRefused}
          level={level}
        />
        <Handle
          type="target"
          position={isDown ? Position.Top : Position.Left}
          className="port in"
          isConnectableStart={false}
          isConnectable={data.canConnect}
          data-testid={`in-${task.id}`}
        />
        <Handle
          type="source"
          position={isDown ? Position.Bottom : Position.Right}
          className="port out"
          isConnectableEnd={false}
          isConnectable={data.canConnect}
          data-testid={`out-${task.id}`}
        />
      </div>
    );
  },
  (a, b) => sameData(a.data, b.data),
);

export function cardId(task: string): string {
  return `card-${task}`;
}

function sameData(a: TaskNodeData, b: TaskNodeData): boolean {
  return (
    a.isSelected === b.isSelected &&
    a.isLit === b.isLit &&
    a.isDim === b.isDim &&
    a.isActive === b.isActive &&
    a.canConnect === b.canConnect &&
    sameTask(a.task, b.task)
  );
}

/** Cards are drawn again only when something on them has changed. */
export function sameTask(a: CanvasTask, b: CanvasTask): boolean {
  if (a === b) return true;
  if (a.diff !== b.diff || a.isPinned !== b.isPinned || a.stop !== b.stop) return false;
  return (Object.keys(a) as (keyof CanvasTask)[]).every((key) => {
    const [x, y] = [a[key], b[key]];
    return x === y || (typeof x === "object" && JSON.stringify(x) === JSON.stringify(y));
  });
}
