// Looking back on a run: the plan as it was at a moment, what each task did when, and at the right what is looked at of it.
import { useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DraftView, MomentView, TaskDetail, TimelineView } from "../../ipc/bindings";
import { useCommands } from "../../state/commands";
import { askCompare } from "../../state/compare";
import { cardOf } from "../../state/frames";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { watch } from "../../state/run";
import { clearSelection, select, useSelection } from "../../state/selection";
import { useSettings } from "../../state/settings";
import { t } from "../../text";
import type { Axis } from "./axis";
import { GoingBack, type Way } from "./GoingBack";
import { ReviewBar } from "./ReviewBar";
import { ReviewPanel } from "./ReviewPanel";
import { type Grouping, homeOf, nextTick, rowsOf } from "./rows";
import { goTo, readLine, useReview } from "./store";
import { Then } from "./Then";
import { TimeDock } from "./TimeDock";
import { type Playback, usePlayback } from "./usePlayback";
import { type Ranging, useRange } from "./useRange";

/** What other features show of a task; the app joins them. */
export type Joined = {
  trace: (run: string, task: string, detail: TaskDetail) => React.ReactNode;
  inputs: (detail: TaskDetail) => React.ReactNode;
  output: (detail: TaskDetail) => React.ReactNode;
};

export function ReviewScreen({ run, joined }: { run: string; joined: Joined }) {
  useEffect(() => void readLine(run), [run]);
  const { line, axis, moment, plan, fault } = useReview();
  const isHere = useReview((s) => s.run === run);
  const isShown = isHere && moment !== null;
  // The title and the status bar tell of the run as it is now; that can wait until there is something to see.
  useEffect(() => (isShown ? watch(run) : undefined), [isShown, run]);
  if (isHere && line && axis && moment && plan)
    return (
      <Review
        run={run}
        line={line}
        axis={axis}
        moment={moment}
        plan={plan}
        fault={fault?.message ?? null}
        joined={joined}
      />
    );
  if (isHere && fault) {
    return (
      <FaultPanel title={t.review.faultTitle} message={fault.message} onRetry={() => void readLine(run)}>
        <Button onClick={() => go({ screen: "run", run })}>{t.shell.stages.run}</Button>
      </FaultPanel>
    );
  }
  return <Skeleton rows={8} />;
}

type Props = {
  run: string;
  line: TimelineView;
  axis: Axis;
  moment: MomentView;
  plan: DraftView;
  fault: string | null;
  joined: Joined;
};

function Review({ run, line, axis, moment, plan, fault, joined }: Props) {
  const seq = useReview((s) => s.seq);
  const [by, setBy] = useState<Grouping>("tasks");
  const [isTable, setTable] = useState(false);
  const [way, setWay] = useState<Way | null>(null);
  const right = usePanel("review.right");
  const bottom = usePanel("review.bottom");
  const playback = usePlayback();
  const ranging = useRange(axis, seq);
  const rows = useMemo(() => rowsOf(line, by), [line, by]);
  const chosen = useSelection((s) => s.tasks[0]);
  const choose = useCallback((task: string) => select([task]), []);
  const onMove = (next: number) => {
    playback.stop();
    goTo(next);
  };
  useCommands(() => [{ id: "compare", label: t.compare.ask, keys: "c", act: () => void askCompare(run) }]);
  useReviewKeys({ run, line, seq, onMove, playback, ranging, onWay: setWay, onTable: () => setTable((on) => !on) });
  useKeys(
    { "ctrl+i": () => right.toggle(), "ctrl+j": () => bottom.toggle(), escape: () => clearSelection() },
    "review",
  );
  const theme = useSettings((s) => s.theme);
  return (
    <div className="review" data-testid="review" data-seq={moment.seq} data-wanted={seq}>
      <ReviewBar run={run} line={line} />
      {fault ? (
        <div className="band fault-band" role="alert">
          <span className="grow">{fault}</span>
          <Button size="small" onClick={() => void readLine(run)}>
            {t.words.retry}
          </Button>
        </div>
      ) : null}
      <Workbench
        right={{
          ...right,
          label: t.review.panel,
          resizeLabel: t.shell.rightPanel,
          node: (
            <ReviewPanel
              run={run}
              line={line}
              moment={moment}
              plan={plan}
              joined={joined}
              onRerun={(task) => setWay({ how: "rerun", task })}
            />
          ),
        }}
      >
        <Then
          plan={plan}
          moment={moment}
          axis={axis}
          chosen={chosen === undefined ? undefined : cardOf(chosen)}
          onChoose={choose}
        />
      </Workbench>
      {bottom.isOpen ? (
        <TimeDock
          {...{ line, axis, rows, by, seq, ranging, playback, isTable, chosen, theme }}
          panel={bottom}
          onChoose={choose}
          onBy={setBy}
          onTable={setTable}
          onMove={onMove}
          onWay={setWay}
        />
      ) : null}
      {way ? <GoingBack run={run} way={way} axis={axis} line={line} onClose={() => setWay(null)} /> : null}
    </div>
  );
}

type KeyParts = {
  run: string;
  line: TimelineView;
  seq: number;
  onMove: (seq: number) => void;
  playback: Playback;
  ranging: Ranging;
  onWay: (way: Way) => void;
  onTable: () => void;
};

function useReviewKeys({ run, line, seq, onMove, playback, ranging, onWay, onTable }: KeyParts): void {
  const toTick = (by: 1 | -1) => {
    const next = nextTick(line.ticks, seq, by, "checkpoint");
    onMove(next ?? (by > 0 ? line.head : 1));
  };
  useKeys(
    {
      space: (event) => {
        // A button that has the focus is pressed by it, as ever.
        if (event.target instanceof HTMLElement && event.target.closest("button, summary, a")) return false;
        playback.toggle();
        return true;
      },
      arrowleft: () => onMove(seq - 1),
      arrowright: () => onMove(seq + 1),
      "shift+arrowleft": () => toTick(-1),
      "shift+arrowright": () => toTick(1),
      home: () => onMove(homeOf(line.ticks, seq)),
      end: () => onMove(line.head),
      r: () => onWay({ how: "rewind", seq }),
      f: () => onWay({ how: "fork", seq }),
      c: () => void askCompare(run),
      t: onTable,
      "+": ranging.closer,
      "=": ranging.closer,
      "-": ranging.farther,
      "0": ranging.whole,
    },
    "review",
  );
}
