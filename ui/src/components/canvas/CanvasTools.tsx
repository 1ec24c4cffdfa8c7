// The tool groups that float over the canvas: zoom and fit at the right, and whatever a screen puts beside them.
import { useStore } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { t } from "../../text";
import { IconButton } from "../controls/controls";
import { printKeys } from "../controls/keys";
import type { CanvasHandle } from "./viewport";

export function ToolGroup({ place, label, children }: { place: "left" | "right"; label: string; children: ReactNode }) {
  return (
    <div className={`tool-group ${place}`} role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}

export function ZoomTools({ canvas }: { canvas: RefObject<CanvasHandle | null> }) {
  const zoom = useStore((s) => s.transform[2]);
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
  return (
    <>
      <IconButton
        label={t.canvas.zoomOut}
        hint={printKeys("ctrl+-")}
        icon={<Minus size={15} />}
        onClick={() => canvas.current?.zoom(0.8)}
        data-testid="zoom-out"
      />
      <button
        type="button"
        className="zoom-level num"
        aria-label={t.canvas.zoomActual(Math.round((zoom / scale) * 100))}
        onClick={() => canvas.current?.zoomTo(scale)}
        data-testid="zoom-level"
      >
        {`${Math.round((zoom / scale) * 100)}%`}
      </button>
      <IconButton
        label={t.canvas.zoomIn}
        hint={printKeys("ctrl++")}
        icon={<Plus size={15} />}
        onClick={() => canvas.current?.zoom(1.25)}
        data-testid="zoom-in"
      />
      <IconButton
        label={t.canvas.fit}
        hint={printKeys("shift+1")}
        icon={<Maximize size={14} />}
        onClick={() => canvas.current?.fit()}
        data-testid="zoom-fit"
      />
    </>
  );
}

/** The block at the bottom left, as on a drawing: a few facts of the plan. */
export function TitleBlock({ facts }: { facts: readonly { term: string; text: string }[] }) {
  return (
    <dl className="title-block">
      {facts.map((fact) => (
        <div key={fact.term}>
          <dt>{fact.term}</dt>
          <dd>{fact.text}</dd>
        </div>
      ))}
    </dl>
  );
}
