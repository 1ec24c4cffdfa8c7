// Beside the decision in focus: where its run stands, what each choice does, what is known, and what happens without an answer.
import { useEffect, useMemo } from "react";
import { CompactPlan } from "../../components/canvas/CompactPlan";
import { printKeys } from "../../components/controls/keys";
import type { DecisionView } from "../../ipc/bindings";
import { runCards, runEdges } from "../../state/cards";
import { cardOf } from "../../state/frames";
import { go } from "../../state/route";
import { useRun, watch } from "../../state/run";
import { select } from "../../state/selection";
import { t } from "../../text";
import { list, timeOfDay, visible } from "../../text/format";

/** The last that is known of the task. */
const KNOWN = 6;
/** A plan larger than that is looked at in the run. */
const MOST_TASKS = 400;

export function Standing({ decision }: { decision: DecisionView }) {
  const { run } = decision;
  useEffect(() => watch(run), [run]);
  const isHere = useRun((s) => s.run === run);
  const plan = useRun((s) => s.plan);
  const tasks = useRun((s) => s.tasks);
  const items = useRun((s) => s.items);
  const events = useRun((s) => s.events);
  const cards = useMemo(() => (plan ? runCards(plan, tasks, items) : []), [plan, tasks, items]);
  const edges = useMemo(() => (plan ? runEdges(plan, tasks) : []), [plan, tasks]);
  const known = events.filter((e) => e.task === decision.task && decision.task !== null).slice(-KNOWN);
  const open = (task: string) => {
    select([task]);
    go({ screen: "run", run });
  };
  return (
    <div className="panel-body standing" data-testid="standing">
      <header className="standing-head">
        <h2 className="grow">{t.inbox.standing}</h2>
        <button type="button" className="link sm" onClick={() => go({ screen: "run", run })}>
          {t.inbox.openRun}
        </button>
      </header>
      {isHere && plan && cards.length <= MOST_TASKS ? (
        <div className="standing-plan">
          <CompactPlan
            label={t.inbox.standing}
            tasks={cards}
            edges={edges}
            chosen={decision.task ? cardOf(decision.task) : undefined}
            onChoose={open}
          />
        </div>
      ) : null}
      {decision.options.length > 0 ? (
        <section>
          <h3>{t.inbox.choices}</h3>
          <ol className="standing-choices">
            {decision.options.map((option, ix) => (
              <li key={option.answer}>
                <kbd aria-hidden="true">{printKeys(String(ix + 1))}</kbd>
                <span className="t2">{visible(option.consequence)}</span>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      {isHere && known.length > 0 ? (
        <section>
          <h3>{t.inbox.known}</h3>
          <ol className="standing-known">
            {known.map((event) => (
              <li key={event.seq}>
                <span className="mono t3 num">{event.at === null ? "" : timeOfDay(event.at)}</span>
                <span className="sel" dir="auto">
                  {visible(event.text)}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      <section>
        <h3>{t.inbox.nothingDone}</h3>
        <p className="t2">
          {t.inbox.nothingDoneText}
          {decision.holdsUp > 0
            ? ` ${t.inbox.waitMeanwhile(decision.holdsUp, list(decision.heldUp.map(visible)))}`
            : ""}
        </p>
      </section>
    </div>
  );
}
