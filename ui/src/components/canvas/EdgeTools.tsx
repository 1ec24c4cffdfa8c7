// The buttons at a selected edge: a task put in here, or the connection cut. Both are keys and menu entries, too.
import { Plus, X } from "lucide-react";
import { createContext, useContext } from "react";
import { t } from "../../text";
import type { Point } from "./model";

export type EdgeActs = {
  onInsert: (from: string, to: string, client: Point) => void;
  onCut: (from: string, to: string) => void;
};

export const EdgeActsContext = createContext<EdgeActs | null>(null);

export function EdgeTools({ from, to }: { from: string; to: string }) {
  const acts = useContext(EdgeActsContext);
  if (!acts) return null;
  return (
    <span className="edge-tools nopan">
      <button
        type="button"
        aria-label={t.canvas.insertHere}
        title={t.canvas.insertHere}
        onClick={(event) => acts.onInsert(from, to, { x: event.clientX, y: event.clientY })}
        data-testid="edge-insert"
      >
        <Plus size={13} strokeWidth={2} aria-hidden="true" />
      </button>
      <button
        type="button"
        aria-label={t.canvas.cutEdge}
        title={t.canvas.cutEdge}
        onClick={() => acts.onCut(from, to)}
        data-testid="edge-cut"
      >
        <X size={13} strokeWidth={2} aria-hidden="true" />
      </button>
    </span>
  );
}
