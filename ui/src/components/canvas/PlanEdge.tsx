// An edge: its line in the look of its state, an arrow, a wide invisible line to grab, a label where it has one.
import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { CircleAlert } from "lucide-react";
import { memo, useContext } from "react";
import { t } from "../../text";
import { LevelContext } from "./level";
import type { EdgeLook } from "./model";
import type { Route } from "./route";

export type PlanFlowEdge = Edge<{ route: Route; look: EdgeLook; label: string; isDim: boolean }, "plan">;

export const PlanEdge = memo(function PlanEdge({ id, data, selected }: EdgeProps<PlanFlowEdge>) {
  const level = useContext(LevelContext);
  if (!data) return null;
  const isBare = level === "dot" || level === "icon";
  const { route, look } = data;
  const label = look === "loop" ? t.canvas.makesLoop : selected ? data.label : "";
  return (
    <g className={`edge e-${look}${selected ? " selected" : ""}${data.isDim ? " dim" : ""}`} data-testid={`edge-${id}`}>
      {look === "taint" ? <path className="ladder" d={route.path} /> : null}
      <path className="line" d={route.path} />
      {isBare ? null : <path className="arrow" d={route.arrow} />}
      {level === "dot" ? null : <path className="react-flow__edge-interaction grab" d={route.path} />}
      {label ? (
        <EdgeLabelRenderer>
          <span
            className={`edge-label ${look}${selected ? " selected" : ""}`}
            style={{ transform: `translate(-50%,-50%) translate(${route.label.x}px,${route.label.y}px)` }}
          >
            {look === "loop" ? <CircleAlert size={11} strokeWidth={2} aria-hidden="true" /> : null}
            {label}
          </span>
        </EdgeLabelRenderer>
      ) : null}
    </g>
  );
});
