// The bar over a run: its state, how far it is, how long it has run, and its acts.

import { FileDown, Hand, Pause, PencilRuler, Play, Square } from "lucide-react";
import { useEffect, useState } from "react";
import { Confirm } from "../../components/controls/Confirm";
import { Button } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { RUN_TONE, RunIcon, STATUS_TONE } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { RunRow, StatusCount, TaskStatus } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { isLeft } from "../../state/decide";
import { beginExport } from "../../state/exporting";
import { editCopy } from "../../state/open";
import { useRun } from "../../state/run";
import { clearSelection, select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { clock, inside, took, visible } from "../../text/format";
import { ReplanFact } from "./ReplanFact";
import type { RunActs } from "./useRunActs";

export function RunBar({ row, acts }: { row: RunRow; acts: RunActs }) {
  const count = (status: TaskStatus) => row.counts.find((c) => c.status === status)?.count ?? 0;
  const all = row.counts.reduce((sum, c) => sum + c.count, 0);
  const [done, doneText] = t.run.done(count("COMPLETED"), all);
  const active = count("RUNNING") + count("RETRYING");
  return (
    <div className="run-bar" data-region="run">
      <RunState row={row} />
      <div className="run-progress">
        <span>
          <b className="num">{done}</b> {doneText}
        </span>
        <Progress counts={row.counts} all={all} />
      </div>
      <Fact text={t.run.elapsed}>
        <RunClock row={row} />
      </Fact>
      {active > 0 ? <Fact text={t.run.running(active)[1]}>{t.run.running(active)[0]}</Fact> : null}
      {row.openDecisions > 0 ? (
        <Fact text={t.run.waits(row.openDecisions)[1]}>{t.run.waits(row.openDecisions)[0]}</Fact>
      ) : null}
      {row.owner && !acts.isOver && isElsewhere(row.owner) ? (
        <span className="sm t3 el">{t.run.ownedBy(visible(row.owner))}</span>
      ) : null}
      <ReplanFact run={row.run} />
      <span className="grow" />
      <Acts row={row} acts={acts} />
      <StopDialog row={row} acts={acts} done={count("COMPLETED")} />
    </div>
  );
}

/** A run that nobody drives is said to be left, whatever its log says last. */
function RunState({ row }: { row: RunRow }) {
  const left = isLeft(row);
  const status = left ? "PAUSED" : row.status;
  return (
    <span
      className={`run-state tone-${RUN_TONE[status]}`}
      data-testid="run-status"
      title={left ? t.run.leftNote : undefined}
    >
      <RunIcon status={status} size={17} />
      {left ? t.run.left : t.words.runStatus[row.status]}
    </span>
  );
}

/** Another program than this window, such as the command line. */
function isElsewhere(owner: string): boolean {
  return host().name === "desktop" && !owner.startsWith("the desktop app");
}

function Fact({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div className="run-fact">
      <b className="num">{children}</b>
      <span className="xs t3">{text}</span>
    </div>
  );
}

/** Counts on from what the engine last said, while the run goes. */
function RunClock({ row }: { row: RunRow }) {
  const now = useNow(500);
  const [heard, setHeard] = useState({ ranMs: row.ranMs ?? 0, at: Date.now() });
  useEffect(() => setHeard({ ranMs: row.ranMs ?? 0, at: Date.now() }), [row]);
  const isGoing = !isLeft(row) && (row.status === "RUNNING" || row.status === "WAITING" || row.status === "BLOCKED");
  return <>{isGoing ? clock(heard.ranMs + Math.max(0, now - heard.at)) : took(row.ranMs ?? 0)}</>;
}

const ORDER: readonly TaskStatus[] = [
  "COMPLETED",
  "SKIPPED",
  "RUNNING",
  "RETRYING",
  "WAITING",
  "IN_DOUBT",
  "FAILED",
  "READY",
  "PENDING",
  "CANCELLED",
  "PRUNED",
];
const MOST_CELLS = 24;

/** One cell a task while they fit, else one share a state. */
function Progress({ counts, all }: { counts: readonly StatusCount[]; all: number }) {
  const sorted = [...counts]
    .filter((c) => c.count > 0)
    .sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const cells =
    all <= MOST_CELLS
      ? sorted.flatMap((c) => Array.from({ length: c.count }, () => ({ status: c.status, share: 1 })))
      : sorted.map((c) => ({ status: c.status, share: c.count }));
  const said = sorted.map((c) => `${c.count} ${inside(t.words.taskStatus[c.status])}`).join(", ");
  return (
    <div className="cells" role="img" aria-label={said} title={said}>
      {cells.map((cell, ix) => (
        <i key={ix} className={`cell ${STATUS_TONE[cell.status]}`} style={{ flexGrow: cell.share }} />
      ))}
    </div>
  );
}

function Acts({ row, acts }: { row: RunRow; acts: RunActs }) {
  const decision = useRun((s) => s.decisions[0]);
  const hasOutput = useRun((s) => s.output !== null);
  const shown = useSelection((s) => s.tasks[0]);
  const isTaskShown = shown !== undefined;
  // The open decision stands at the right already, with the screen's one primary button, unless another task is chosen.
  const isElsewhereShown = isTaskShown && shown !== decision?.task;
  return (
    <>
      {decision ? (
        <Button
          look={isElsewhereShown ? "primary" : "plain"}
          size="large"
          icon={<Hand className="icon" size={15} strokeWidth={1.75} />}
          onClick={() => select(decision.task ? [decision.task] : [])}
          data-testid="answer"
        >
          {t.run.answer}
        </Button>
      ) : null}
      {acts.canPause ? (
        <Button
          size="large"
          hint={printKeys("p")}
          disabled={acts.isBusy}
          icon={<Pause className="icon" size={15} strokeWidth={1.75} />}
          onClick={acts.pause}
          data-testid="pause"
        >
          {t.run.pause}
        </Button>
      ) : null}
      {acts.canResume ? (
        <Button
          look={decision ? "plain" : "primary"}
          size="large"
          hint={printKeys("p")}
          disabled={acts.isBusy}
          icon={<Play className="icon" size={15} strokeWidth={1.75} />}
          onClick={acts.resume}
          data-testid="resume"
        >
          {isLeft(row) ? t.run.goOn : t.run.resume}
        </Button>
      ) : null}
      {acts.isOver && hasOutput && isTaskShown ? (
        <Button look="primary" size="large" onClick={clearSelection} data-testid="show-result">
          {t.run.output}
        </Button>
      ) : null}
      <Button
        size="large"
        icon={<FileDown className="icon" size={15} strokeWidth={1.75} />}
        onClick={() => beginExport(row)}
        data-testid="export"
      >
        {t.exporting.open}
      </Button>
      {acts.isOver ? (
        <Button
          size="large"
          icon={<PencilRuler className="icon" size={15} strokeWidth={1.75} />}
          onClick={() => void editCopy(row.run)}
          data-testid="edit-copy"
        >
          {t.run.editCopy}
        </Button>
      ) : (
        <Button
          look="danger"
          size="large"
          disabled={acts.isBusy}
          icon={<Square className="icon" size={14} strokeWidth={1.75} />}
          onClick={acts.askStop}
          data-testid="stop"
        >
          {t.run.stop}
        </Button>
      )}
    </>
  );
}

function StopDialog({ row, acts, done }: { row: RunRow; acts: RunActs; done: number }) {
  const facts = [
    { term: t.run.stopKept, text: t.run.stopKeptText(done) },
    { term: t.run.stopUndone, text: t.run.stopUndoneText },
    { term: t.run.stopLater, text: t.run.stopLaterText },
  ];
  return (
    <Confirm
      open={acts.isStopping}
      onClose={acts.keep}
      title={t.run.stopTitle(visible(row.title))}
      facts={facts}
      keep={t.run.stopKeep}
      testId="stop-dialog"
    >
      <Button look="danger" onClick={acts.stop} data-testid="stop-now">
        {t.run.stopDo}
      </Button>
      {acts.canPause ? (
        <Button onClick={acts.pauseInstead} data-testid="pause-instead">
          {t.run.stopPause}
        </Button>
      ) : null}
    </Confirm>
  );
}
