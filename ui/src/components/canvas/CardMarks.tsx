// Small marks at a card's edges: what became of it between two versions, that its output is held, where the run stops.
import { CirclePause, Minus, Pencil, Pin, Plus } from "lucide-react";
import { t } from "../../text";
import type { ZoomLevel } from "./level";
import type { CanvasTask, DiffMark } from "./model";

export const DIFF_ICON = { added: Plus, removed: Minus, changed: Pencil } as const;

export function CardMarks({ task, level }: { task: CanvasTask; level: ZoomLevel }) {
  if (level === "dot") return null;
  const { diff, isPinned, stop } = task;
  return (
    <>
      {diff && diff !== "kept" ? <DiffTab diff={diff} hasWord={level !== "icon"} /> : null}
      {isPinned ? (
        <span className="card-held pin" title={t.holds.pinned}>
          <Pin size={12} strokeWidth={2} aria-hidden="true" />
        </span>
      ) : null}
      {stop === "before" || stop === "both" ? <Stop side="before" /> : null}
      {stop === "after" || stop === "both" ? <Stop side="after" /> : null}
    </>
  );
}

function DiffTab({ diff, hasWord }: { diff: Exclude<DiffMark, "kept">; hasWord: boolean }) {
  const Icon = DIFF_ICON[diff];
  return (
    <span className={`card-diff ${diff}`}>
      <Icon size={11} strokeWidth={2.25} aria-hidden="true" />
      {hasWord ? t.versions.change[diff] : null}
    </span>
  );
}

function Stop({ side }: { side: "before" | "after" }) {
  return (
    <span className={`card-held stop ${side}`} title={t.holds.stops[side]}>
      <CirclePause size={13} strokeWidth={2} aria-hidden="true" />
    </span>
  );
}
