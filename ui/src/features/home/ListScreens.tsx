// All plans (drafts) and all runs: filtered, searched inside of, as families of forks.
import { FilePlus2, FolderOpen, History, Workflow } from "lucide-react";
import { type ReactNode, useCallback, useDeferredValue, useEffect, useState } from "react";
import { Button } from "../../components/controls/controls";
import { Empty, FaultPanel, Skeleton } from "../../components/controls/panel";
import { useNow } from "../../components/marks/time";
import type { RunStatus } from "../../ipc/bindings";
import { leaveList, rereadPage, useFinding, type Wanted, want } from "../../state/finding";
import { newPlan, openPlanFile } from "../../state/open";
import { go } from "../../state/route";
import { t } from "../../text";
import { Hits } from "./Hits";
import { ListTable } from "./ListTable";
import { ChosenBar, DAYS, ListTools, type Narrowing, STATES } from "./ListTools";

const REREAD_MS = 3000;
const TYPING_MS = 200;
const STEP = 100;

export function PlansScreen() {
  return (
    <List
      kind="plans"
      title={t.lists.plansTitle}
      note={t.lists.plansNote}
      testId="plans"
      empty={
        <Empty
          icon={<Workflow size={28} strokeWidth={1.5} />}
          title={t.home.emptyPlans}
          actions={
            <>
              <Button look="primary" icon={<FilePlus2 className="icon" size={14} />} onClick={() => void newPlan()}>
                {t.home.newPlan}
              </Button>
              <Button icon={<FolderOpen className="icon" size={14} />} onClick={() => void openPlanFile()}>
                {t.home.openFile}
              </Button>
            </>
          }
        >
          {t.home.emptyPlansNote}
        </Empty>
      }
    />
  );
}

export function RunsScreen() {
  return (
    <List
      kind="runs"
      title={t.lists.runsTitle}
      note={t.lists.runsNote}
      testId="runs-screen"
      empty={
        <Empty
          icon={<History size={28} strokeWidth={1.5} />}
          title={t.home.emptyRuns}
          actions={<Button onClick={() => go({ screen: "home" })}>{t.shell.backHome}</Button>}
        >
          {t.home.emptyRunsNote}
        </Empty>
      }
    />
  );
}

const EVERYTHING: Narrowing = { state: "all", tag: null, time: "any" };
const NO_STATES: readonly RunStatus[] = [];

/** What is typed counts once the hand rests. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), text === "" ? 0 : TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return useDeferredValue(rested);
}

type ListProps = { kind: Wanted["kind"]; title: string; note: string; empty: ReactNode; testId: string };

function List({ kind, title, note, empty, testId }: ListProps) {
  const [narrowing, setNarrowing] = useState(EVERYTHING);
  const [typed, setTyped] = useState("");
  const [limit, setLimit] = useState(STEP);
  const text = useRested(typed);
  const page = useFinding((s) => s.page);
  const fault = useFinding((s) => s.fault);
  const tick = useNow(REREAD_MS);
  const { state, tag, time } = narrowing;
  useEffect(() => leaveList, []);
  useEffect(() => {
    const states = state === "all" ? NO_STATES : STATES[state];
    void want({ kind, states, tag, days: DAYS[time], text, limit });
  }, [kind, state, tag, time, text, limit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tick reads anew
  useEffect(() => void rereadPage(), [tick]);
  const narrow = useCallback((next: Narrowing) => {
    setNarrowing(next);
    setLimit(STEP);
  }, []);
  if (fault && !page)
    return <FaultPanel title={t.home.faultTitle} message={fault.message} onRetry={() => void rereadPage()} />;
  const isAll = text.trim() === "" && state === "all" && tag === null && time === "any";
  const more = page ? page.total - page.rows.length : 0;
  return (
    <div className="screen lists" data-testid={testId}>
      <div className="lists-inner">
        <header className="lists-head">
          <div className="grow">
            <h2 className="home-title">{title}</h2>
            <p className="t2">{note}</p>
          </div>
        </header>
        <ListTools kind={kind} narrowing={narrowing} onNarrow={narrow} text={typed} onText={setTyped} />
        {page?.notes.map((line) => (
          <p key={line} className="t2 sm" role="status">
            {line}
          </p>
        ))}
        <ChosenBar />
        {!page ? (
          <Skeleton rows={8} />
        ) : page.rows.length > 0 ? (
          <ListTable rows={page.rows} label={title} />
        ) : isAll && !page.isAny ? (
          empty
        ) : (
          <p className="t3" data-testid="no-rows">
            {text.trim() === "" ? t.lists.nothingFound : t.lists.noNames}
          </p>
        )}
        {more > 0 && page ? (
          <Button look="ghost" onClick={() => setLimit(limit + STEP)} data-testid="more-rows">
            {t.values.moreRows(Math.min(STEP, more), page.total)}
          </Button>
        ) : null}
        <Hits />
      </div>
    </div>
  );
}
