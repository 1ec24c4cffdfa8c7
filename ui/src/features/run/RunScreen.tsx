// A run: its bar, the live canvas, the events below, and at the right the chosen task, what needs a person, or the result.
import { Crosshair } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { TitleBlock, ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import { type CanvasHandle, zoomKeys } from "../../components/canvas/viewport";
import { Button, Hint } from "../../components/controls/controls";
import { printKeys, useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DraftView, RunRow } from "../../ipc/bindings";
import { runCards, runEdges } from "../../state/cards";
import { cardOf, stepItem } from "../../state/frames";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { useRun, watch } from "../../state/run";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { Events, EventsFolded } from "./Events";
import { RunBar } from "./RunBar";
import { RunPanel } from "./RunPanel";
import { stepTrace } from "./traceStore";
import { useRunActs } from "./useRunActs";

export function RunScreen({ run }: { run: string }) {
  const [again, setAgain] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` starts the watch anew
  useEffect(() => watch(run), [run, again]);
  const row = useRun((s) => (s.run === run ? s.row : null));
  const plan = useRun((s) => (s.run === run ? s.plan : null));
  const fault = useRun((s) => (s.run === run ? s.fault : null));
  if (row && plan)
    return <Run row={row} plan={plan} fault={fault?.message ?? null} onAgain={() => setAgain(again + 1)} />;
  if (fault) {
    return (
      <FaultPanel title={t.run.faultTitle} message={fault.message} onRetry={() => setAgain(again + 1)}>
        <Button onClick={() => go({ screen: "runs" })}>{t.shell.commands.goRuns}</Button>
      </FaultPanel>
    );
  }
  return <Skeleton rows={8} />;
}

type Props = { row: RunRow; plan: DraftView; fault: string | null; onAgain: () => void };

function Run({ row, plan, fault, onAgain }: Props) {
  const panel = usePanel("run.right");
  const acts = useRunActs(row);
  const canvas = useRef<CanvasHandle>(null);
  const [isFollowing, setFollowing] = useState(false);
  const bottom = usePanel("run.bottom");
  useKeys(
    {
      p: () => acts.toggle(),
      "ctrl+shift+.": () => acts.askStop(),
      "ctrl+shift+>": () => acts.askStop(),
      o: () => setFollowing(!isFollowing),
      escape: () => select([]),
      "ctrl+i": () => panel.toggle(),
      "ctrl+j": () => bottom.toggle(),
      "[": () => step(-1),
      "]": () => step(1),
      j: () => stepTrace(1),
      k: () => stepTrace(-1),
    },
    "run",
  );
  useKeys(zoomKeys(canvas), "canvas");
  useFollow(isFollowing, canvas);
  return (
    <div className="run" data-testid="run" data-status={row.status}>
      <RunBar row={row} acts={acts} />
      {fault ? (
        <div className="band fault-band" role="alert">
          <span className="grow">{`${t.run.watchFault}. ${fault}`}</span>
          <Button size="small" onClick={onAgain}>
            {t.words.retry}
          </Button>
        </div>
      ) : null}
      <Workbench
        right={{
          ...panel,
          label: t.run.panel,
          resizeLabel: t.shell.rightPanel,
          node: <RunPanel run={row.run} plan={plan} />,
        }}
      >
        <LiveCanvas plan={plan} canvas={canvas} isFollowing={isFollowing} onFollow={() => setFollowing(!isFollowing)} />
        {bottom.isOpen ? <Events plan={plan} /> : <EventsFolded onOpen={bottom.toggle} />}
      </Workbench>
    </div>
  );
}

type CanvasProps = {
  plan: DraftView;
  canvas: React.RefObject<CanvasHandle | null>;
  isFollowing: boolean;
  onFollow: () => void;
};

function LiveCanvas({ plan, canvas, isFollowing, onFollow }: CanvasProps) {
  const tasks = useRun((s) => s.tasks);
  const items = useRun((s) => s.items);
  const cards = useMemo(() => runCards(plan, tasks, items), [plan, tasks, items]);
  const edges = useMemo(() => runEdges(plan, tasks), [plan, tasks]);
  const chosen = useSelection((s) => s.tasks);
  const edge = useSelection((s) => s.edge);
  const selection = useMemo(() => ({ tasks: chosen.map(cardOf), edge }), [chosen, edge]);
  const done = plan.tasks.filter((task) => tasks.get(task.id)?.status === "COMPLETED").length;
  const facts = [
    { term: t.run.facts.revision, text: String(plan.revision) },
    { term: t.run.facts.tasks, text: String(plan.tasks.length) },
  ];
  return (
    <PlanCanvas
      label={t.canvas.run(plan.tasks.length, done)}
      tasks={cards}
      edges={edges}
      selection={selection}
      onSelect={(next) => select(next.tasks, next.edge)}
      handle={canvas}
    >
      <ToolGroup place="right" label={t.canvas.view}>
        <Hint text={t.run.followNote} keys={printKeys("o")}>
          <Button
            icon={<Crosshair className="icon" size={14} strokeWidth={1.75} />}
            aria-pressed={isFollowing}
            onClick={onFollow}
            data-testid="follow"
          >
            {t.run.follow}
          </Button>
        </Hint>
        <span className="bar" />
        <ZoomTools canvas={canvas} />
      </ToolGroup>
      <TitleBlock facts={facts} />
    </PlanCanvas>
  );
}

/** From item to item of the map that is chosen. */
function step(by: 1 | -1): void {
  const address = stepItem(useRun.getState().items, useSelection.getState().tasks[0], by);
  if (address) select([address]);
}

/** Keeps a task that runs (or waits for a person) in view. */
function useFollow(isOn: boolean, canvas: React.RefObject<CanvasHandle | null>): void {
  useEffect(() => {
    if (!isOn) return;
    const look = (tasks: ReturnType<typeof useRun.getState>["tasks"]) => {
      const live =
        [...tasks.values()].find((task) => task.status === "WAITING" || task.status === "IN_DOUBT") ??
        [...tasks.values()].find((task) => task.status === "RUNNING");
      // An item or a task of a nested plan has no card of its own: its map or plan has.
      if (live) canvas.current?.reveal([live.id.split(/[[/]/, 1)[0] ?? live.id]);
    };
    look(useRun.getState().tasks);
    return useRun.subscribe((state) => look(state.tasks));
  }, [isOn, canvas]);
}
