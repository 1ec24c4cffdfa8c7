// Waiting: every open decision of every run, oldest first; one is in focus and has the keys.
import { CircleCheck } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../../components/controls/controls";
import { printKeys, useKeys } from "../../components/controls/keys";
import { Empty, FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import { DecisionCard } from "../../components/decision/DecisionCard";
import { DecisionIcon, decisionTone } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { DecisionView, RunRow } from "../../ipc/bindings";
import { answer } from "../../state/decide";
import { readInbox, readRuns, useLists } from "../../state/lists";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { t } from "../../text";
import { age, visible } from "../../text/format";

export function InboxScreen() {
  const inbox = useLists((s) => s.inbox);
  const runs = useLists((s) => s.runs);
  const fault = useLists((s) => s.inboxFault);
  useEffect(() => {
    void readInbox();
    void readRuns();
  }, []);
  const sorted = useMemo(() => [...(inbox ?? [])].sort((a, b) => (a.openedAt ?? 0) - (b.openedAt ?? 0)), [inbox]);
  if (!inbox)
    return fault ? (
      <FaultPanel title={t.inbox.faultTitle} message={fault.message} onRetry={() => void readInbox()} />
    ) : (
      <Skeleton rows={8} />
    );
  if (sorted.length === 0) {
    const going = runs?.filter((r) => r.status === "RUNNING").length ?? 0;
    return (
      <Empty
        icon={<CircleCheck className="tone-completed" size={28} strokeWidth={1.5} />}
        title={t.inbox.nothing}
        actions={<Button onClick={() => go({ screen: "runs" })}>{t.shell.commands.goRuns}</Button>}
      >
        {t.inbox.nothingNote(going)}
      </Empty>
    );
  }
  return <Inbox decisions={sorted} runs={runs ?? []} />;
}

/** A whole plan that waits for its signature, asked for elsewhere. */
const isUnsigned = (d: DecisionView) => d.kind === "approval" && d.task === null;
const keyOfDecision = (d: DecisionView) => `${d.run}/${d.id}`;

function Inbox({ decisions, runs }: { decisions: readonly DecisionView[]; runs: readonly RunRow[] }) {
  const panel = usePanel("waiting.left");
  const [chosen, setChosen] = useState<string | null>(null);
  const at = Math.max(
    0,
    decisions.findIndex((d) => keyOfDecision(d) === chosen),
  );
  const focused = decisions[at];
  const move = (by: 1 | -1) => () => {
    const next = decisions[Math.min(decisions.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setChosen(keyOfDecision(next));
    document
      .querySelector(`[data-decision="${CSS.escape(keyOfDecision(next))}"]`)
      ?.scrollIntoView?.({ block: "nearest" });
  };
  useKeys({ j: move(1), k: move(-1) }, "waiting");
  const titles = useMemo(() => new Map(runs.map((r) => [r.run, r.title])), [runs]);
  const drafts = useMemo(() => new Set(runs.filter((r) => r.status === "AWAITING_APPROVAL").map((r) => r.run)), [runs]);
  /** A plan that waits for its signature, a planner's question about one that is yet to be made, or a run. */
  const placeOf = (d: DecisionView) =>
    isUnsigned(d) ? ("approve" as const) : drafts.has(d.run) ? ("plan" as const) : ("run" as const);
  const where = (d: DecisionView) => t.inbox.from(titles.get(d.run) ?? d.run, d.taskTitle ?? d.task);
  const stopped = new Set(decisions.map((d) => d.run)).size;
  return (
    <Workbench
      left={{
        ...panel,
        isOpen: true,
        label: t.inbox.list,
        resizeLabel: t.shell.leftPanel,
        node: (
          <>
            <header className="inbox-head">
              <h2 className="grow">{t.inbox.title}</h2>
              <span className="xs t3">{t.inbox.order}</span>
            </header>
            <p className="xs t3 inbox-note">{t.inbox.stopped(stopped)}</p>
            <List decisions={decisions} focused={focused} where={where} onChoose={setChosen} />
            <footer className="inbox-foot">
              <span>
                <kbd>{printKeys("j")}</kbd> <kbd>{printKeys("k")}</kbd> {t.inbox.move}
              </span>
              <span>
                <kbd>{printKeys("1")}</kbd> – <kbd>{printKeys("4")}</kbd> {t.inbox.choose}
              </span>
            </footer>
          </>
        ),
      }}
    >
      <div className="inbox-cards" data-testid="inbox">
        {decisions.map((decision) => (
          <div key={keyOfDecision(decision)} data-decision={keyOfDecision(decision)}>
            <DecisionCard
              decision={decision}
              where={where(decision)}
              isFocused={decision === focused}
              onFocus={() => setChosen(keyOfDecision(decision))}
              onAnswer={(given) => answer(decision, given)}
            />
            <div className="inbox-under">
              <button
                type="button"
                className="link sm"
                onClick={() => go({ screen: placeOf(decision), run: decision.run })}
                data-testid="open-run"
              >
                {placeOf(decision) === "run" ? t.inbox.openRun : t.inbox.lookAtPlan}
              </button>
              <span className="xs t3">{t.inbox.nothingDoneText}</span>
            </div>
          </div>
        ))}
      </div>
    </Workbench>
  );
}

type ListProps = {
  decisions: readonly DecisionView[];
  focused: DecisionView | undefined;
  where: (d: DecisionView) => string;
  onChoose: (key: string) => void;
};

function List({ decisions, focused, where, onChoose }: ListProps) {
  const now = useNow(1000);
  return (
    <ul className="panel-body" aria-label={t.inbox.list}>
      {decisions.map((decision) => (
        <li key={keyOfDecision(decision)}>
          <button
            type="button"
            className="inbox-row"
            aria-current={decision === focused}
            onClick={() => onChoose(keyOfDecision(decision))}
          >
            <span className={`inbox-mark ${decisionTone(decision.kind)}`}>
              <DecisionIcon kind={decision.kind} size={15} />
            </span>
            <span className="grow">
              <b className="el">{visible(decision.question)}</b>
              <span className="sm t3 el">{visible(where(decision))}</span>
            </span>
            <span className="xs t3 num">{age(decision.openedAt, now)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
