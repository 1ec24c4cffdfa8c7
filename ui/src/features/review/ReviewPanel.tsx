// The right side of a look back: the chosen task as it was at the moment; without one, the answer with what it was made from,
// and what all of it cost.
import { Undo2 } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { kindName } from "../../components/canvas/TaskCard";
import { Button, FaultLine, Tabs } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { KindTile, StatusTag } from "../../components/marks/marks";
import { ValueView } from "../../components/values/ValueView";
import type { DraftView, MomentView, TaskDetail, TaskStatus, TimelineView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { tryParse } from "../../ipc/json";
import { namesOf } from "../../state/cards";
import { cardOf, itemOf } from "../../state/frames";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Attempts } from "./Attempts";
import { Ledger } from "./Ledger";
import { proseOf } from "./prose";
import type { Joined } from "./ReviewScreen";

const Markdown = lazy(() => import("../../components/values/Markdown"));

type Props = {
  run: string;
  line: TimelineView;
  moment: MomentView;
  plan: DraftView;
  joined: Joined;
  onRerun: (task: string) => void;
};

export function ReviewPanel(props: Props) {
  const chosen = useSelection((s) => s.tasks[0]);
  const isKnown = chosen !== undefined && props.plan.tasks.some((task) => task.id === cardOf(chosen));
  return isKnown ? <OfTask key={chosen} {...props} task={chosen} /> : <OfRun {...props} />;
}

type RunTab = "answer" | "costs";

function OfRun({ line, moment, plan }: Props) {
  const [tab, setTab] = useState<RunTab>("answer");
  return (
    <div className="task-panel review-panel" data-testid="review-panel">
      <Tabs
        label={t.review.panel}
        panel="review-body"
        value={tab}
        onChange={setTab}
        tabs={(["answer", "costs"] as const).map((value) => ({ value, label: t.review.tabs[value] }))}
      />
      <div className="panel-body" id="review-body" role="tabpanel" aria-labelledby={`review-body-${tab}`} tabIndex={0}>
        {tab === "answer" ? <Answer moment={moment} plan={plan} /> : <Ledger line={line} />}
      </div>
    </div>
  );
}

/** The answer with the tasks that it was made from; before there is one, what there was of it. */
function Answer({ moment, plan }: { moment: MomentView; plan: DraftView }) {
  const names = namesOf(plan);
  const hasChild = new Set(plan.edges.map((edge) => edge.from));
  const isMade = moment.output !== null;
  const shown = moment.outputs.filter((line) => !isMade || !hasChild.has(line.task));
  const text = moment.output === null ? null : proseOf(tryParse(moment.output));
  return (
    <>
      <section className="task-part" data-testid="answer">
        {moment.output === null ? (
          <p className="t3">{t.review.noAnswer}</p>
        ) : text !== null ? (
          <Suspense fallback={<Skeleton rows={6} />}>
            <Markdown text={text} />
          </Suspense>
        ) : (
          <ValueView json={moment.output} label={t.review.tabs.answer} />
        )}
      </section>
      {moment.decisions.length > 0 ? (
        <section className="task-part">
          <h3 className="heading">{t.review.decisionsThen}</h3>
          {moment.decisions.map((decision) => (
            <p key={decision.id} className="sm t2">
              {visible(decision.question)}
            </p>
          ))}
        </section>
      ) : null}
      {shown.length > 0 ? (
        <section className="task-part" data-testid="sources">
          <h3 className="heading">{isMade ? t.review.sources : t.review.outputsThen}</h3>
          <ul className="source-list">
            {shown.map(({ task, line }) => (
              <li key={task}>
                <button type="button" className="link" onClick={() => select([task])}>
                  {visible(names.get(task) ?? task)}
                </button>
                <span className="sm t3 el" dir="auto">
                  {visible(line)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

type TaskTab = "trace" | "input" | "output" | "cost";

function OfTask({ run, task, line, moment, plan, joined, onRerun }: Props & { task: string }) {
  const [tab, setTab] = useState<TaskTab>("trace");
  const { detail, fault, read } = useDetail(run, task, line);
  const now = moment.tasks.find((one) => one.id === task);
  const status = statusIn(moment, task);
  const shape = plan.tasks.find((one) => one.id === cardOf(task));
  const kind = shape?.taskType ?? "";
  const sub = shape?.detail && shape.detail !== kind ? `${kindName(kind)} · ${visible(shape.detail)}` : kindName(kind);
  const title = visible(line.tracks.find((track) => track.task === task)?.title ?? shape?.title ?? task);
  return (
    <div className="task-panel review-panel" data-testid="review-task" data-task={task}>
      <header className="inspector-title">
        <KindTile kind={kind} />
        <div className="grow">
          <h2 className="el" dir="auto" title={title}>
            {title}
          </h2>
          <p className="xs t3 el">{sub}</p>
        </div>
        {status ? <StatusTag status={status} /> : null}
      </header>
      {now?.error ? (
        <div className="task-why">
          <FaultLine
            severity={now.status === "RETRYING" ? "warning" : "error"}
            text={visible(`${now.error.message} (${now.error.code})`)}
          />
        </div>
      ) : null}
      <Tabs
        label={t.review.panel}
        panel="review-body"
        value={tab}
        onChange={setTab}
        tabs={(["trace", "input", "output", "cost"] as const).map((value) => ({ value, label: t.review.tabs[value] }))}
      >
        <Button
          size="small"
          icon={<Undo2 className="icon" size={13} strokeWidth={1.75} />}
          onClick={() => onRerun(task)}
          data-testid="rerun"
        >
          {t.review.rerun}
        </Button>
      </Tabs>
      <div
        className="panel-body"
        id="review-body"
        role="tabpanel"
        aria-labelledby={`review-body-${tab}`}
        tabIndex={0}
        data-testid={`tabpanel-${tab}`}
      >
        {detail ? (
          <TaskBody tab={tab} {...{ run, task, line, moment, detail, joined }} />
        ) : fault ? (
          <FaultPanel title={t.run.faultTitle} message={fault} onRetry={read} />
        ) : (
          <Skeleton rows={5} />
        )}
      </div>
    </div>
  );
}

type BodyProps = Pick<Props, "run" | "line" | "moment" | "joined"> & { tab: TaskTab; task: string; detail: TaskDetail };

function TaskBody({ tab, run, task, line, moment, detail, joined }: BodyProps) {
  const status = statusIn(moment, task);
  const isDone = (status ?? statusIn(moment, cardOf(task))) === "COMPLETED";
  switch (tab) {
    case "trace":
      return (
        <Attempts
          run={run}
          task={task}
          detail={detail}
          at={moment.event.at ?? 0}
          status={status}
          trace={joined.trace}
        />
      );
    case "input":
      return joined.inputs(detail);
    case "output":
      return isDone || task !== cardOf(task) ? (
        joined.output(detail)
      ) : (
        <p className="task-none t3">{t.review.outputLater}</p>
      );
    case "cost":
      return <Ledger line={line} task={task} />;
  }
}

/** Of a task of the plan or an item of a map; what lies deeper is not told by a moment. */
function statusIn(moment: MomentView, task: string): TaskStatus | undefined {
  const item = itemOf(task);
  if (item) return moment.items.find(({ map }) => map === item.map)?.states[item.index];
  return moment.tasks.find((one) => one.id === task)?.status;
}

/** Read once for each task, and anew where the run has gone on. */
function useDetail(run: string, task: string, line: TimelineView) {
  const [detail, setDetail] = useState<TaskDetail | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [again, setAgain] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another history, or `again`, asks for the details anew
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
  }, [run, task, line, again]);
  return { detail, fault, read: () => setAgain(again + 1) };
}
