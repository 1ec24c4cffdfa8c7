// All plans (drafts) and all runs, each with a search and, for runs, a filter.
import { FilePlus2, FolderOpen, History, Search, Workflow } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from "react";
import { Button, Segments } from "../../components/controls/controls";
import { Empty, FaultPanel, Skeleton } from "../../components/controls/panel";
import { useNow } from "../../components/marks/time";
import type { RunRow } from "../../ipc/bindings";
import { readRuns, useLists } from "../../state/lists";
import { newPlan, openPlanFile } from "../../state/open";
import { go } from "../../state/route";
import { t } from "../../text";
import { RunTable } from "./RunTable";

const REREAD_MS = 3000;
const STEP = 100;

function useRows(): { rows: RunRow[] | null; message: string | null } {
  const rows = useLists((s) => s.runs);
  const fault = useLists((s) => s.runsFault);
  const tick = useNow(REREAD_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tick reads anew
  useEffect(() => void readRuns(), [tick]);
  return { rows, message: rows ? null : (fault?.message ?? null) };
}

export function PlansScreen() {
  const { rows, message } = useRows();
  const drafts = useMemo(() => rows?.filter((r) => r.status === "AWAITING_APPROVAL") ?? null, [rows]);
  const empty = (
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
  );
  return (
    <Rows
      title={t.lists.plansTitle}
      note={t.lists.plansNote}
      rows={drafts}
      message={message}
      empty={empty}
      testId="plans"
    />
  );
}

type Filter = "all" | "going" | "waiting" | "over";

function passes(row: RunRow, filter: Filter): boolean {
  if (filter === "all") return true;
  if (filter === "waiting") return row.openDecisions > 0 || row.status === "WAITING" || row.status === "BLOCKED";
  const isOver = row.status === "SUCCEEDED" || row.status === "FAILED" || row.status === "CANCELLED";
  return filter === "over" ? isOver : !isOver;
}

export function RunsScreen() {
  const { rows, message } = useRows();
  const [filter, setFilter] = useState<Filter>("all");
  const runs = useMemo(() => rows?.filter((r) => r.status !== "AWAITING_APPROVAL") ?? null, [rows]);
  const shown = useMemo(() => runs?.filter((r) => passes(r, filter)) ?? null, [runs, filter]);
  const empty = (
    <Empty
      icon={<History size={28} strokeWidth={1.5} />}
      title={t.home.emptyRuns}
      actions={<Button onClick={() => go({ screen: "home" })}>{t.shell.backHome}</Button>}
    >
      {t.home.emptyRunsNote}
    </Empty>
  );
  const tools = (
    <Segments
      label={t.lists.filter}
      value={filter}
      onChange={setFilter}
      choices={(Object.keys(t.lists.filters) as Filter[]).map((value) => ({ value, label: t.lists.filters[value] }))}
    />
  );
  return (
    <Rows
      title={t.lists.runsTitle}
      note={t.lists.runsNote}
      rows={shown}
      message={message}
      tools={tools}
      empty={runs?.length ? <p className="t3">{t.lists.nothingFound}</p> : empty}
      testId="runs-screen"
    />
  );
}

type RowsProps = {
  title: string;
  note: string;
  rows: RunRow[] | null;
  message: string | null;
  empty: ReactNode;
  tools?: ReactNode;
  testId: string;
};

function Rows({ title, note, rows, message, empty, tools, testId }: RowsProps) {
  const [text, setText] = useState("");
  const [most, setMost] = useState(STEP);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const shown = useMemo(
    () => rows?.filter((r) => r.title.toLowerCase().includes(wanted) || r.run.includes(wanted)) ?? null,
    [rows, wanted],
  );
  if (message) return <FaultPanel title={t.home.faultTitle} message={message} onRetry={() => void readRuns()} />;
  return (
    <div className="screen lists" data-testid={testId}>
      <div className="lists-inner">
        <header className="lists-head">
          <div className="grow">
            <h2 className="home-title">{title}</h2>
            <p className="t2">{note}</p>
          </div>
          {tools}
          <div className="field lists-find">
            <Search className="icon t3" size={14} aria-hidden="true" />
            <input
              aria-label={t.lists.search}
              placeholder={t.lists.search}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        </header>
        {!shown ? (
          <Skeleton rows={8} />
        ) : rows?.length === 0 ? (
          empty
        ) : shown.length === 0 ? (
          <p className="t3">{t.lists.nothingFound}</p>
        ) : (
          <RunTable runs={shown.slice(0, most)} label={title} />
        )}
        {shown && shown.length > most ? (
          <Button look="ghost" onClick={() => setMost(most + STEP)}>
            {t.values.moreRows(Math.min(STEP, shown.length - most), shown.length)}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
