// The bar over a new plan: how the run stands, which replan this is and the others, and the way out.
import { Square } from "lucide-react";
import { useState } from "react";
import { Confirm } from "../../components/controls/Confirm";
import { Button } from "../../components/controls/controls";
import { Select } from "../../components/controls/Select";
import { RUN_TONE, RunIcon } from "../../components/marks/marks";
import type { ReplanRow, ReplanView } from "../../ipc/bindings";
import { stopRun, useReplan } from "../../state/replan";
import { go } from "../../state/route";
import { useRun } from "../../state/run";
import { t } from "../../text";
import { dollars, visible } from "../../text/format";

export function ReplanBar({ run, view }: { run: string; view: ReplanView }) {
  const row = useRun((s) => (s.run === run ? s.row : null));
  const done = row?.counts.find((c) => c.status === "COMPLETED")?.count ?? 0;
  const all = row?.counts.reduce((sum, c) => sum + c.count, 0) ?? 0;
  const [doneText, doneNote] = t.run.done(done, all);
  return (
    <div className="run-bar replan-bar">
      {row ? (
        <span className={`run-state tone-${RUN_TONE[row.status]}`} data-testid="run-state">
          <RunIcon status={row.status} />
          {t.words.runStatus[row.status]}
        </span>
      ) : null}
      <span className="run-fact">
        <b className="num">{doneText}</b>
        <span className="xs t3">{doneNote}</span>
      </span>
      {row && row.spent.usd !== "0" ? (
        <span className="run-fact">
          <b className="num">{dollars(row.spent.usd)}</b>
          <span className="xs t3">{t.estimate.cost}</span>
        </span>
      ) : null}
      <Attempts run={run} view={view} />
      <span className="grow" />
      <Button size="large" onClick={() => go({ screen: "run", run })} data-testid="to-run">
        {t.replan.toRun}
      </Button>
      {view.row.fate === "waiting" ? <Stop run={run} done={done} /> : null}
    </div>
  );
}

/** `Replan 2 of 3`, and where there are several, all of them. */
function Attempts({ run, view }: { run: string; view: ReplanView }) {
  const attempts = useReplan((s) => s.list?.attempts ?? []);
  const text = t.replan.of(view.row.attempt, view.most);
  if (attempts.length < 2)
    return (
      <span className="run-fact" data-testid="replan-number">
        <b className="num">{text}</b>
        <span className="xs t3">{fateOf(view.row)}</span>
      </span>
    );
  const options = attempts.map((row) => ({
    value: String(row.attempt),
    label: `${t.replan.of(row.attempt, view.most)}: ${fateOf(row)}`,
  }));
  return (
    <span className="replan-attempts" data-testid="replan-number" data-attempt={view.row.attempt}>
      <Select
        label={t.replan.attempts}
        options={options}
        value={String(view.row.attempt)}
        onChange={(value) => go({ screen: "replan", run, attempt: Number(value) })}
        testId="replan-attempts"
      />
    </span>
  );
}

export function fateOf(row: ReplanRow): string {
  const fate = t.replan.fates[row.fate];
  return row.by ? t.replan.by(fate, visible(row.by)) : fate;
}

function Stop({ run, done }: { run: string; done: number }) {
  const [isOpen, setOpen] = useState(false);
  const isBusy = useReplan((s) => s.isBusy);
  const stop = async () => {
    setOpen(false);
    if (await stopRun()) go({ screen: "run", run });
  };
  return (
    <>
      <Button
        look="danger"
        size="large"
        disabled={isBusy}
        icon={<Square className="icon" size={14} strokeWidth={1.75} />}
        onClick={() => setOpen(true)}
        data-testid="replan-stop"
      >
        {t.replan.stop}
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t.replan.stopTitle}
        facts={[
          { term: t.replan.stopKept, text: t.replan.stopKeptText(done) },
          { term: t.replan.stopUndone, text: t.replan.stopUndoneText },
        ]}
        keep={t.replan.stopKeep}
        testId="replan-stop-dialog"
      >
        <Button look="danger" onClick={() => void stop()} data-testid="replan-stop-now">
          {t.replan.stopDo}
        </Button>
      </Confirm>
    </>
  );
}
