// Beside the canvas: what failed and how often, what is kept, what is proposed piece by piece, what it asks for and costs,
// and the answer below.
import { KeyRound, Lock, OctagonX } from "lucide-react";
import { useMemo } from "react";
import type { ReplanError, ReplanView } from "../../ipc/bindings";
import { useReplan } from "../../state/replan";
import { isOver } from "../../state/replanCards";
import { go } from "../../state/route";
import { select } from "../../state/selection";
import { t } from "../../text";
import { list, spentText, timeOfDay, visible } from "../../text/format";
import { moneyRange, timeRange } from "../../text/ranges";
import { EditPanel } from "./EditPanel";
import { Pieces } from "./Pieces";
import { fateOf } from "./ReplanBar";
import { ReplanFooter } from "./ReplanFooter";

type Props = { run: string; view: ReplanView; onDone: (isDone: Promise<boolean>) => Promise<void> };

export function ReplanPanel({ run, view, onDone }: Props) {
  const isEditing = useReplan((s) => s.isEditing);
  const isOpen = view.row.fate === "waiting";
  return (
    <div className="replan-panel" data-testid="replan-panel">
      <div className="panel-body replan-body">
        {isEditing && isOpen ? (
          <EditPanel view={view} />
        ) : (
          <>
            <Failure run={run} view={view} />
            <Asks view={view} />
            <Proposal view={view} />
          </>
        )}
        {isEditing && isOpen ? <Asks view={view} /> : null}
        <Still view={view} />
      </div>
      {isOpen ? <ReplanFooter view={view} onDone={onDone} /> : <Fate view={view} />}
    </div>
  );
}

/** Each task that failed, with every try. */
function Failure({ run, view }: { run: string; view: ReplanView }) {
  const tasks = useMemo(() => {
    const found = new Map<string, ReplanError[]>();
    for (const error of view.errors) found.set(error.task, [...(found.get(error.task) ?? []), error]);
    return [...found];
  }, [view.errors]);
  const done = view.states.filter((state) => isOver(view, state.task)).length;
  return (
    <section className="replan-part" aria-label={t.replan.errors}>
      {tasks.map(([task, errors]) => (
        <FailedTask key={task} run={run} task={task} errors={errors} />
      ))}
      <p className="replan-kept sm">
        <Lock className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
        <span>
          <b>{t.replan.kept}:</b> {t.replan.keptText(done)}
        </span>
      </p>
    </section>
  );
}

/** Of more errors than that the newest are shown; the log has all. */
const SHOWN = 12;

function FailedTask({ run, task, errors }: { run: string; task: string; errors: ReplanError[] }) {
  const last = errors[errors.length - 1];
  const shown = errors.slice(-SHOWN);
  const toLog = () => {
    select([task]);
    go({ screen: "run", run });
  };
  return (
    <div className="replan-failed" data-testid={`failed-${task}`}>
      <header>
        <OctagonX className="icon tone-failed" size={16} strokeWidth={1.75} aria-hidden="true" />
        <h2 className="grow el" dir="auto">
          {t.replan.failed(visible(last?.title ?? task))}
        </h2>
        <button type="button" className="link sm" onClick={toLog} data-testid="full-log">
          {t.replan.log}
        </button>
      </header>
      <p className="sel t2" dir="auto">
        {visible(last?.message ?? "")}
      </p>
      {shown.length < errors.length ? (
        <p className="xs t3">{t.replan.moreErrors(errors.length - shown.length)}</p>
      ) : null}
      <ol className="replan-log mono" aria-label={t.replan.errors}>
        {shown.map((error, ix) => (
          <li key={ix} className={error.nextAt === null ? "last" : ""}>
            <span className="t3 num">{error.at === null ? "" : timeOfDay(error.at)}</span>
            <span className="t3 num" title={t.replan.attempt(error.attempt)}>
              {error.attempt}
            </span>
            <span className="grow el sel" title={visible(error.message)}>
              {visible(`${error.code} ${error.message}`)}
            </span>
            <span className="t3">{error.nextAt === null ? t.replan.gaveUp : t.replan.retried}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Proposal({ view }: { view: ReplanView }) {
  const { row } = view;
  const cost = spentText(view.spent);
  return (
    <section className="replan-part" aria-label={t.replan.proposed}>
      <header className="replan-head">
        <h2 className="grow">{t.replan.proposed}</h2>
        <span className="xs t3">{t.replan.cost(visible(view.model ?? ""), row.hasProposal ? cost : "")}</span>
      </header>
      {row.askedWith ? (
        <p className="sm t2 sel" dir="auto" data-testid="replan-asked">
          {t.replan.asked(visible(row.askedWith))}
        </p>
      ) : null}
      {row.fate === "looking" ? (
        <p className="sm t2" role="status">
          {t.replan.looking}. {t.replan.lookingNote}
        </p>
      ) : null}
      {row.refused.map((why, ix) => (
        <p className="sm t2 sel" key={ix}>
          {visible(why)}
        </p>
      ))}
      {row.hasProposal ? <Pieces view={view} /> : null}
    </section>
  );
}

/** What it asks for beyond what was approved stands out: a person signs that, too. */
function Asks({ view }: { view: ReplanView }) {
  const preview = useReplan((s) => s.preview);
  const lines = (preview && preview.refused.length === 0 ? preview.lines : view.lines).filter(
    (l) => l.kind === "asked",
  );
  if (!view.row.hasProposal) return null;
  return (
    <section className="replan-part" aria-label={t.replan.asks(lines.length)} data-testid="replan-asks">
      {lines.length === 0 ? (
        <p className="sm t2">{t.replan.asksNothing}</p>
      ) : (
        <>
          <header className="replan-head">
            <h2>{t.replan.asks(lines.length)}</h2>
            <span className="sm t3">{t.replan.asksNote}</span>
          </header>
          <ul className="replan-asks">
            {lines.map((line) => (
              <li key={line.text} className={preview?.beyond.includes(line.text) ? "beyond" : ""}>
                <KeyRound className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />
                <span className="sel grow" dir="auto">
                  {preview?.beyond.includes(line.text) ? <b>{t.replan.beyond} </b> : null}
                  {visible(line.text)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** What is left to spend and to wait for, before and after. */
function Still({ view }: { view: ReplanView }) {
  const preview = useReplan((s) => s.preview);
  const [before, after] = [view.stillBefore, preview?.still ?? view.stillAfter];
  if (!view.row.hasProposal || !before || !after) return null;
  const rows = [
    { term: t.replan.stillSpend, was: moneyRange(before.usd), is: moneyRange(after.usd) },
    { term: t.replan.stillRun, was: timeRange(before.seconds), is: timeRange(after.seconds) },
  ];
  return (
    <dl className="replan-part replan-still">
      {rows.map((row) => (
        <div key={row.term}>
          <dt className="t2">{row.term}</dt>
          <dd className="num">
            {row.was === row.is ? null : (
              <>
                <s className="t3">{row.was}</s>
                <span className="t3" aria-hidden="true">
                  →
                </span>
                <span className="vh">{t.replan.becomes}</span>
              </>
            )}
            <b>{row.is}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What became of one that is over. */
function Fate({ view }: { view: ReplanView }) {
  const names = view.row.leftOut.map((id) => view.pieces.find((piece) => piece.id === id)?.title ?? id);
  return (
    <footer className="replan-footer" data-testid="replan-fate">
      <b>{fateOf(view.row)}</b>
      {names.length > 0 ? <p className="sm t2">{t.replan.leftOutList(list(names.map(visible)))}</p> : null}
    </footer>
  );
}
