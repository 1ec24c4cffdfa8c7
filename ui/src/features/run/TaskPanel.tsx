// One task of a run: its state and why it waits, then trace, input, output and log. Read anew when it changes.

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { kindName } from "../../components/canvas/TaskCard";
import { Button, FaultLine, IconButton, Tabs } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { DecisionCard } from "../../components/decision/DecisionCard";
import { KindTile, StatusTag } from "../../components/marks/marks";
import { CountDown } from "../../components/marks/time";
import type { DraftTask, DraftView, TaskDetail, TaskStatus, TaskView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { answer } from "../../state/decide";
import { cardOf, frameOf, itemOf, itemsText, stepItem } from "../../state/frames";
import { useRun } from "../../state/run";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Inputs, Log, Output } from "./TaskTabs";
import { Trace } from "./Trace";

type Tab = "trace" | "input" | "output" | "log";
type Props = { run: string; task: string; plan: DraftView };

export function TaskPanel({ run, task, plan }: Props) {
  const now = useRun((s) => s.tasks.get(task));
  const decision = useRun((s) => s.decisions.find((d) => d.task === task));
  const shape = plan.tasks.find((x) => x.id === cardOf(task));
  const { detail, fault, read } = useDetail(run, task, now);
  const [tab, setTab] = useState<Tab | null>(null);
  const shown =
    tab ??
    (now?.status === "COMPLETED"
      ? "output"
      : now?.status === "FAILED" || now?.status === "RETRYING" || isTraced(now?.status, shape)
        ? "trace"
        : "input");
  const { kind, title, sub } = headOf(task, shape);
  return (
    <div className="task-panel" data-testid="task-panel" data-task={task}>
      <header className="inspector-title">
        <KindTile kind={kind} />
        <div className="grow">
          <h2 className="el" dir="auto" title={title}>
            {title}
          </h2>
          <p className="xs t3 el">{sub}</p>
        </div>
        {now ? <StatusTag status={now.status} /> : null}
      </header>
      <ItemSteps task={task} />
      {now ? <Why task={now} isAsked={decision !== undefined} /> : null}
      {decision ? (
        <div className="task-decision">
          <DecisionCard
            key={decision.id}
            decision={decision}
            where={null}
            isFocused
            onAnswer={(given) => answer(decision, given)}
          />
        </div>
      ) : null}
      <Tabs
        label={t.run.panel}
        panel="task-panel-body"
        value={shown}
        onChange={setTab}
        tabs={(["trace", "input", "output", "log"] as const).map((value) => ({ value, label: t.run.tabs[value] }))}
      />
      <div
        className="panel-body"
        id="task-panel-body"
        role="tabpanel"
        aria-labelledby={`task-panel-body-${shown}`}
        tabIndex={0}
        data-testid={`tabpanel-${shown}`}
      >
        {detail ? (
          <Body tab={shown} run={run} task={task} detail={detail} />
        ) : fault ? (
          <FaultPanel title={t.run.faultTitle} message={fault} onRetry={read} />
        ) : (
          <Skeleton rows={5} />
        )}
      </div>
    </div>
  );
}

/** A model at work is what one wants to watch. */
function isTraced(status: TaskStatus | undefined, shape: DraftTask | undefined): boolean {
  const kind = shape?.taskType;
  return status === "RUNNING" && (kind === "agent" || kind === "model" || kind === "map");
}

/** An item is told by what its map runs for it. */
function headOf(task: string, shape: DraftTask | undefined) {
  const inner = itemOf(task) && shape ? frameOf(shape, null) : null;
  const kind = inner?.kind ?? shape?.taskType ?? "";
  const detail = inner?.detail ?? (shape?.detail === shape?.taskType ? "" : shape?.detail);
  const title = visible(inner?.title || shape?.title || task);
  return { kind, title, sub: detail ? `${kindName(kind)} · ${visible(detail)}` : kindName(kind) };
}

/** From item to item, where the task is a map or one of its items. */
function ItemSteps({ task }: { task: string }) {
  const items = useRun((s) => s.items);
  const item = itemOf(task);
  const states = items.get(item?.map ?? task);
  if (!states) return null;
  const go = (by: 1 | -1) => {
    const next = stepItem(items, task, by);
    if (next) select([next]);
  };
  return (
    <div className="item-steps" data-testid="item-steps">
      <span className="sm t2 grow">{item ? t.canvas.item(item.index + 1, states.length) : itemsText(states)}</span>
      {item ? (
        <Button size="small" onClick={() => select([item.map])}>
          {t.run.wholeMap}
        </Button>
      ) : null}
      <IconButton
        label={t.run.itemBefore}
        hint={printKeys("[")}
        icon={<ChevronLeft className="icon" size={14} />}
        onClick={() => go(-1)}
      />
      <IconButton
        label={t.run.itemNext}
        hint={printKeys("]")}
        icon={<ChevronRight className="icon" size={14} />}
        onClick={() => go(1)}
      />
    </div>
  );
}

/** Every wait says why; a failure says what happened. */
function Why({ task, isAsked }: { task: TaskView; isAsked: boolean }) {
  const { error } = task;
  // The decision below says it better.
  const wait = isAsked ? null : task.wait;
  if (!wait && !error) return null;
  return (
    <div className="task-why" data-testid="task-why">
      {wait ? (
        <p className="sm t2">
          {visible(wait.text)} {wait.until === null ? null : <CountDown until={wait.until} />}
        </p>
      ) : null}
      {error ? (
        <FaultLine
          severity={task.status === "RETRYING" ? "warning" : "error"}
          text={visible(`${error.message} (${error.code})`)}
        />
      ) : null}
    </div>
  );
}

function Body({ tab, run, task, detail }: { tab: Tab; run: string; task: string; detail: TaskDetail }) {
  switch (tab) {
    case "input":
      return <Inputs detail={detail} />;
    case "output":
      return <Output detail={detail} />;
    case "trace":
      return <Trace run={run} task={task} detail={detail} />;
    case "log":
      return <Log detail={detail} />;
  }
}

function useDetail(run: string, task: string, now: TaskView | undefined) {
  const [detail, setDetail] = useState<TaskDetail | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [again, setAgain] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the task, or `again`, asks for its details anew
  useEffect(() => {
    let gone = false;
    host()
      .taskDetail(run, task)
      .then(
        (found) => {
          if (gone) return;
          setDetail(found);
          setFault(null);
        },
        (thrown) => gone || setFault(asFault(thrown).message),
      );
    return () => {
      gone = true;
    };
  }, [run, task, now, again]);
  return { detail, fault, read: () => setAgain(again + 1) };
}
