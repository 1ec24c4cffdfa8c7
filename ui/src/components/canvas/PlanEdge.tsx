// An edge: its line in the look of its state, an arrow, a wide invisible line to grab, a label where it has one.
import { type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { CircleAlert } from "lucide-react";
import { memo, useContext } from "react";
import { t } from "../../text";
import { useDropTarget } from "./dropTarget";
import { EdgeTools } from "./EdgeTools";
import { LevelContext } from "./level";
import type { EdgeLook } from "./model";
import type { Route } from "./route";

export type PlanFlowEdge = Edge<
  { route: Route; look: EdgeLook; label: string; isDim: boolean; isNear: boolean },
  "plan"
>;

export const PlanEdge = memo(function PlanEdge({ id, source, target, data, selected }: EdgeProps<PlanFlowEdge>) {
  const level = useContext(LevelContext);
  const isAim = useDropTarget((s) => s.edge === id);
  if (!data) return null;
  const isBare = level === "dot" || level === "icon";
  const { route, look } = data;
  const label = look === "loop" ? t.canvas.makesLoop : selected ? data.label : "";
  const marks = `${selected ? " selected" : ""}${data.isDim ? " dim" : ""}${data.isNear ? " beside" : ""}${isAim ? " aim" : ""}`;
  return (
    <g className={`edge e-${look}${marks}`} data-testid={`edge-${id}`}>
      {look === "taint" ? <path className="ladder" d={route.path} /> : null}
      <path className="line" d={route.path} />
      {isBare ? null : <path className="arrow" d={route.arrow} />}
      {level === "dot" ? null : <path className="react-flow__edge-interaction grab" d={route.path} />}
      {label || selected ? (
        <EdgeLabelRenderer>
          <span
            className="edge-label-place"
            style={{ transform: `translate(-50%,-50%) translate(${route.label.x}px,${route.label.y}px) ${STEADY}` }}
          >
            {label ? <Label look={look} label={label} selected={selected ?? false} /> : null}
            {selected ? <EdgeTools from={source} to={target} /> : null}
          </span>
        </EdgeLabelRenderer>
      ) : null}
    </g>
  );
});

/** As large as text in the window, but never so large that it hides the cards. */
const STEADY = "scale(min(1.6, calc(1 / var(--zoom, 1))))";

function Label({ look, label, selected }: { look: EdgeLook; label: string; selected: boolean }) {
  return (
    <span className={`edge-label ${look}${selected ? " selected" : ""}`}>
      {look === "loop" ? <CircleAlert size={11} strokeWidth={2} aria-hidden="true" /> : null}
      {label}
    </span>
  );
}
