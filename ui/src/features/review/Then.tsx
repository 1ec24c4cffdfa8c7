// The plan as it was at the moment that is looked at: as pills, or as the cards of a run. Nothing of it can be changed.
import { History } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import { CompactPlan } from "../../components/canvas/CompactPlan";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { Segments } from "../../components/controls/controls";
import type { DraftView, MomentView, TaskView } from "../../ipc/bindings";
import { runCards, runEdges } from "../../state/cards";
import type { ItemStates } from "../../state/frames";
import { t } from "../../text";
import { clock, visible } from "../../text/format";
import type { Axis } from "./axis";
import { useReview } from "./store";

type Drawn = "compact" | "cards";
type Props = {
  plan: DraftView;
  moment: MomentView;
  axis: Axis;
  chosen: string | undefined;
  onChoose: (task: string) => void;
};

export function Then({ plan, moment, axis, chosen, onChoose }: Props) {
  const [drawn, setDrawn] = useState<Drawn>("compact");
  const canvas = useRef<CanvasHandle>(null);
  const head = useReview((s) => s.line?.head ?? 0);
  const tasks = useMemo(() => stillOf(moment), [moment]);
  const items: ItemStates = useMemo(() => new Map(moment.items.map((map) => [map.map, map.states])), [moment]);
  const cards = useMemo(() => runCards(plan, tasks, items), [plan, tasks, items]);
  const edges = useMemo(() => runEdges(plan, tasks), [plan, tasks]);
  const done = moment.tasks.filter((task) => task.status === "COMPLETED").length;
  const label = t.canvas.run(plan.tasks.length, done);
  const selection = useMemo(() => ({ tasks: chosen === undefined ? [] : [chosen], edge: null }), [chosen]);
  const isEnd = moment.seq >= head;
  return (
    <div className="then">
      <div className="then-tools">
        <span className="tag accent then-at" data-testid="replay-at">
          <History className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />
          {isEnd ? t.review.theEnd : t.review.replayAt(clock(axis.at[moment.seq - 1] ?? 0))}
        </span>
        <span className="sm t2 el grow then-event" title={visible(moment.event.text)} data-testid="then-event">
          {visible(moment.event.text)}
        </span>
        <Segments<Drawn>
          label={t.review.viewsLabel}
          value={drawn}
          onChange={setDrawn}
          choices={(["compact", "cards"] as const).map((value) => ({ value, label: t.review.views[value] }))}
          testId="then-as"
        />
      </div>
      {plan.tasks.length === 0 ? (
        <p className="then-none t3">{t.review.noPlan}</p>
      ) : drawn === "compact" ? (
        <CompactPlan label={label} tasks={cards} edges={edges} chosen={chosen} onChoose={onChoose} />
      ) : (
        <PlanCanvas
          label={label}
          tasks={cards}
          edges={edges}
          selection={selection}
          onSelect={(next) => next.tasks[0] && onChoose(next.tasks[0])}
          handle={canvas}
        >
          <ToolGroup place="right" label={t.canvas.view}>
            <ZoomTools canvas={canvas} />
          </ToolGroup>
        </PlanCanvas>
      )}
    </div>
  );
}

/** Nothing counts on in a picture of the past. */
function stillOf(moment: MomentView): Map<string, TaskView> {
  const still = (task: TaskView): TaskView => ({
    ...task,
    startedAt: task.endedAt === null ? null : task.startedAt,
    wait: task.wait ? { ...task.wait, until: null } : null,
  });
  return new Map(moment.tasks.map((task) => [task.id, still(task)]));
}
