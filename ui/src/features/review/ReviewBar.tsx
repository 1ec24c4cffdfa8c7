// The bar over a look back: how the run ended, how long it took and what of that was waiting, what it cost, how much failed.
import { Columns2, FileDown, FileText, RefreshCw } from "lucide-react";
import { Button } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { RUN_TONE, RunIcon } from "../../components/marks/marks";
import type { TimelineView } from "../../ipc/bindings";
import { askCompare } from "../../state/compare";
import { isLeft } from "../../state/decide";
import { beginExport } from "../../state/exporting";
import { useRun } from "../../state/run";
import { clearSelection, useSelection } from "../../state/selection";
import { t } from "../../text";
import { dollars, took } from "../../text/format";
import { moneyText } from "./describe";
import { readLine, useReview } from "./store";

export function ReviewBar({ run, line }: { run: string; line: TimelineView }) {
  const { row, bill } = line;
  const count = (status: string) => row.counts.find((c) => c.status === status)?.count ?? 0;
  const all = row.counts.reduce((sum, c) => sum + c.count, 0);
  const waited = line.tracks.reduce((sum, track) => sum + (track.owner === null ? (track.personMs ?? 0) : 0), 0);
  const failures = line.ticks.filter((tick) => tick.kind === "failure").length;
  const left = isLeft(row);
  const status = left ? "PAUSED" : row.status;
  return (
    <div className="run-bar review-bar" data-region="run">
      <span className={`run-state tone-${RUN_TONE[status]}`} data-testid="review-status">
        <RunIcon status={status} size={17} />
        {left ? t.run.left : t.words.runStatus[status]}
      </span>
      <Fact parts={t.review.total(took(line.at[line.at.length - 1] ?? 0))} />
      {waited > 0 ? <Fact parts={t.review.waited(took(waited))} /> : null}
      {bill.whole.calls > 0 ? (
        <Fact parts={[moneyText(bill.whole), row.budget.usd ? capText(row.budget.usd) : t.review.withPlanning]} />
      ) : (
        <Fact parts={[dollars("0"), t.review.free]} />
      )}
      <Fact parts={t.review.tasksDone(count("COMPLETED"), all)} />
      {failures > 0 ? <Fact parts={t.review.retries(failures)} /> : null}
      <span className="grow" />
      <Button
        size="large"
        icon={<Columns2 className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
        hint={printKeys("c")}
        onClick={() => void askCompare(run)}
        data-testid="review-compare"
      >
        {t.compare.ask}
      </Button>
      <Later run={run} head={line.head} />
      <AnswerButton />
      <Button
        size="large"
        icon={<FileDown className="icon" size={14} strokeWidth={1.75} />}
        onClick={() => beginExport(row)}
        data-testid="export"
      >
        {t.exporting.open}
      </Button>
    </div>
  );
}

function capText(usd: string): string {
  return t.review.ofAll(dollars(usd));
}

function Fact({ parts: [number, text] }: { parts: readonly [string, string] }) {
  return (
    <span className="review-fact">
      <b className="num">{number}</b> {text}
    </span>
  );
}

/** A run that goes on has more to show by now. */
function Later({ run, head }: { run: string; head: number }) {
  const seq = useRun((s) => (s.run === run ? s.seq : 0));
  if (seq <= head) return null;
  return (
    <Button
      size="large"
      icon={<RefreshCw className="icon" size={14} strokeWidth={1.75} />}
      title={t.review.goesOn(seq - head)}
      onClick={() => void readLine(run)}
      data-testid="review-refresh"
    >
      {t.review.refresh}
    </Button>
  );
}

function AnswerButton() {
  const isTaskShown = useSelection((s) => s.tasks.length > 0);
  const hasAnswer = useReview((s) => s.moment?.output !== null);
  if (!isTaskShown || !hasAnswer) return null;
  return (
    <Button
      size="large"
      icon={<FileText className="icon" size={14} strokeWidth={1.75} />}
      onClick={clearSelection}
      data-testid="review-answer"
    >
      {t.review.answer}
    </Button>
  );
}
