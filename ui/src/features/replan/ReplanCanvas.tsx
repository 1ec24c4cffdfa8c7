// The new plan drawn over the old one: what comes, goes, changes, and what is done and locked.
import { ChevronDown, ChevronUp, Lock } from "lucide-react";
import { type RefObject, useEffect, useMemo } from "react";
import { ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { IconButton, Segments } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { DraftView, PlanDiff, ReplanView } from "../../ipc/bindings";
import type { Side } from "../../state/diffCards";
import { useReplan } from "../../state/replan";
import { isOver, replanCards, replanEdges } from "../../state/replanCards";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { stepPiece } from "./steps";

const SIDES = ["before", "changes", "after"] as const;

type Props = {
  view: ReplanView;
  canvas: RefObject<CanvasHandle | null>;
  side: Side;
  onSide: (side: Side) => void;
};

/** What the person has chosen of it, where that can be taken; else all that is proposed. */
export function useShown(view: ReplanView): { after: DraftView; diff: PlanDiff } {
  const preview = useReplan((s) => s.preview);
  return preview?.after && preview.diff
    ? { after: preview.after, diff: preview.diff }
    : { after: view.after, diff: view.diff };
}

export function ReplanCanvas({ view, canvas, side, onSide }: Props) {
  const { after, diff } = useShown(view);
  const tasks = useMemo(() => replanCards(view, after, diff, side), [view, after, diff, side]);
  const edges = useMemo(() => replanEdges(view, after, diff, side), [view, after, diff, side]);
  const chosen = useSelection((s) => s.tasks);
  const selection = useMemo(() => ({ tasks: chosen, edge: null }), [chosen]);
  const shown = useSelection((s) => s.shown);
  useEffect(() => {
    if (shown > 0) requestAnimationFrame(() => canvas.current?.reveal(useSelection.getState().tasks));
  }, [shown, canvas]);
  const onSelect = (tasks: readonly string[]) => {
    select(tasks);
    const piece = view.pieces.find((one) => one.kind !== "plan" && one.name === tasks[0]);
    if (piece) useReplan.setState({ chosen: piece.id });
  };
  return (
    <PlanCanvas
      label={t.replan.canvas(view.pieces.length)}
      tasks={tasks}
      edges={edges}
      selection={selection}
      onSelect={(next) => onSelect(next.tasks)}
      handle={canvas}
    >
      <ToolGroup place="left" label={t.replan.side}>
        <Segments
          label={t.replan.side}
          choices={SIDES.map((value) => ({ value, label: t.replan.sides[value] }))}
          value={side}
          onChange={onSide}
          testId="replan-side"
        />
      </ToolGroup>
      <ToolGroup place="right" label={t.canvas.view}>
        {view.pieces.length > 0 ? <Steps view={view} /> : null}
        <span className="replan-zoom">
          <span className="bar" />
          <ZoomTools canvas={canvas} />
        </span>
      </ToolGroup>
      <Legend view={view} diff={diff} />
    </PlanCanvas>
  );
}

function Steps({ view }: { view: ReplanView }) {
  const chosen = useReplan((s) => s.chosen);
  const at = view.pieces.findIndex((piece) => piece.id === chosen) + 1;
  return (
    <>
      <IconButton
        label={t.replan.previous}
        hint={printKeys("[")}
        size="small"
        icon={<ChevronUp size={15} strokeWidth={1.75} />}
        onClick={() => stepPiece(-1)}
      />
      <span className="sm t2 num replan-place" aria-live="polite">
        {t.replan.place(at, view.pieces.length)}
      </span>
      <IconButton
        label={t.replan.next}
        hint={printKeys("]")}
        size="small"
        icon={<ChevronDown size={15} strokeWidth={1.75} />}
        onClick={() => stepPiece(1)}
        data-testid="next-piece"
      />
    </>
  );
}

function Legend({ view, diff }: { view: ReplanView; diff: PlanDiff }) {
  const of = (change: PlanDiff["tasks"][number]["change"]) => diff.tasks.filter((task) => task.change === change);
  const kept = of("kept");
  const locked = kept.filter((task) => isOver(view, task.task)).length;
  return (
    <ul className="replan-legend" aria-label={t.replan.legendLabel}>
      {(["added", "removed", "changed"] as const).map((change) =>
        of(change).length > 0 ? (
          <li key={change}>
            <span className={`replan-sign ${change}`} aria-hidden="true">
              {t.replan.sign[change]}
            </span>
            <span className="num">{t.replan.legend[change](of(change).length)}</span>
          </li>
        ) : null,
      )}
      {locked > 0 ? (
        <li>
          <span className="replan-sign kept" aria-hidden="true">
            <Lock size={12} strokeWidth={2} />
          </span>
          <span className="num">{t.replan.legend.locked(locked)}</span>
        </li>
      ) : null}
      <li className="t3 num">{t.replan.legend.same(kept.length - locked)}</li>
    </ul>
  );
}
