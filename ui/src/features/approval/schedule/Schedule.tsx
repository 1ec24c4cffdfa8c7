// The dry run: what would run when, drawn or as a table. Nothing is called for it.
import { useState } from "react";
import { Button, Segments } from "../../../components/controls/controls";
import { printKeys, useKeys } from "../../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../../components/controls/panel";
import type { ApprovalView, DryRunView, Withheld } from "../../../ipc/bindings";
import { t } from "../../../text";
import { timeRange } from "../../../text/ranges";
import { Chart } from "./Chart";
import { rowsByLane, rowsByTask } from "./rows";
import { ScheduleTable } from "./ScheduleTable";
import { useDryRun } from "./useDryRun";

type Shape = "chart" | "lanes" | "table";
type Props = {
  approval: ApprovalView;
  /** A JSON object as text. */
  parameters: string;
  off: Withheld[];
  name: (id: string) => string;
  onHover: (task: string | null) => void;
  onBack: () => void;
};

export function Schedule({ approval, parameters, off, name, onHover, onBack }: Props) {
  const { view, fault, again } = useDryRun(approval.run, approval.digest, parameters, off);
  const [shape, setShape] = useState<Shape>("chart");
  useKeys({ t: () => setShape(shape === "table" ? "chart" : "table") }, "approve");
  return (
    <section className="schedule" aria-label={t.schedule.title} data-testid="schedule">
      <header className="schedule-head">
        <div className="grow">
          <h2>{t.schedule.title}</h2>
          <p className="sm t2">{view ? said(view) : t.schedule.intro}</p>
        </div>
        <Segments
          label={t.schedule.as}
          value={shape}
          onChange={setShape}
          testId="schedule-as"
          choices={(["chart", "lanes", "table"] as const).map((value) => ({ value, label: t.schedule[value] }))}
        />
        <Button hint={printKeys("s")} onClick={onBack} data-testid="view-plan">
          {t.schedule.back}
        </Button>
      </header>
      {fault ? (
        <FaultPanel title={t.schedule.faultTitle} message={fault} onRetry={again} />
      ) : view ? (
        <>
          {shape === "table" ? (
            <ScheduleTable run={view} name={name} />
          ) : (
            <Chart
              key={shape}
              run={view}
              rows={shape === "lanes" ? rowsByLane(view) : rowsByTask(view, name)}
              name={name}
              onHover={onHover}
            />
          )}
          {shape === "table" ? null : <Legend run={view} />}
        </>
      ) : (
        <Skeleton rows={8} />
      )}
    </section>
  );
}

function said(run: DryRunView): string {
  const asks = run.tasks.filter((task) => task.asks).length;
  return [
    t.schedule.summary(timeRange(run.seconds), run.lanes, run.atOnce),
    asks > 0 ? t.schedule.plusYou(asks) : "",
    run.leftOut.length > 0 ? t.schedule.leftOut(run.leftOut.length) : "",
    run.untimed.length > 0 ? t.schedule.untimed(run.untimed.length) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function Legend({ run }: { run: DryRunView }) {
  return (
    <p className="chart-legend xs t3">
      <span>
        <i className="chart-bar" />
        {t.schedule.legend.likely}
      </span>
      <span>
        <i className="chart-reach" />
        {t.schedule.legend.range}
      </span>
      {run.tasks.some((task) => task.isAssumed) ? (
        <span>
          <i className="chart-bar assumed" />
          {t.schedule.legend.assumed}
        </span>
      ) : null}
      <span>
        <i className="chart-bar path" />
        {t.schedule.legend.path}
      </span>
    </p>
  );
}
