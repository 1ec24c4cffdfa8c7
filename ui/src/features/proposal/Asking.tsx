// The planner while it is asked for a change: how long, what it cost so far, the tasks that it has named, the answer itself a
// click away, and how to stop it.
import { ChevronRight, Hand, LoaderCircle, Pause, Plus, Square } from "lucide-react";
import { useCallback, useEffect, useMemo } from "react";
import { Button } from "../../components/controls/controls";
import { GrowingText } from "../../components/GrowingText";
import { Elapsed } from "../../components/marks/time";
import { onAnswer, watchAnswer } from "../../state/answer";
import { useDraft } from "../../state/draft";
import { goOn, readProposal, stopChange, useProposal } from "../../state/proposal";
import { go } from "../../state/route";
import type { Sketched } from "../../state/sketch";
import { useSketch } from "../../state/useSketch";
import { t } from "../../text";
import { spentText, visible } from "../../text/format";

const LOOK_MS = 1500;
/** The newest of what is named; all of it is drawn when it is whole. */
const SHOWN = 4;

export function Asking({ run }: { run: string }) {
  const { view, since, rest } = useProposal();
  const isGoing = since !== null;
  const isAsked = rest === "asks" && !isGoing;
  const Icon = isGoing ? LoaderCircle : isAsked ? Hand : Pause;
  return (
    <section className="proposal-dock" aria-label={t.proposal.asking} data-testid="asking" data-going={isGoing}>
      <header>
        <Icon
          className={`icon tone-${isGoing ? "running spin" : isAsked ? "waiting" : "idle"}`}
          size={15}
          strokeWidth={1.75}
          aria-hidden="true"
        />
        <h2 aria-live="polite">{isGoing ? t.proposal.asking : isAsked ? t.proposal.waits : t.proposal.left}</h2>
        {isAsked ? (
          <Button size="small" onClick={() => go({ screen: "waiting" })} data-testid="change-waits">
            {t.proposal.toWaiting}
          </Button>
        ) : null}
        {isGoing ? null : (
          <Button size="small" onClick={() => void goOn(run)} data-testid="change-on">
            {t.proposal.goOn}
          </Button>
        )}
        <Button
          size="small"
          icon={<Square className="icon" size={11} strokeWidth={1.75} aria-hidden="true" />}
          title={t.proposal.stopNote}
          onClick={() => void stopChange()}
          data-testid="stop-change"
        >
          {t.proposal.stop}
        </Button>
      </header>
      {view ? (
        <p className="proposal-wanted sel" dir="auto">
          {visible(view.wanted)}
        </p>
      ) : null}
      {isGoing ? <Growing run={run} /> : null}
      <dl className="proposal-spent sm num">
        {since === null ? null : (
          <div>
            <dt className="t3">{t.proposal.elapsed}</dt>
            <dd>
              <Elapsed since={since} />
            </dd>
          </div>
        )}
        <div>
          <dt className="t3">{t.proposal.cost}</dt>
          <dd data-testid="change-cost">{view && hasCalls(view.spent) ? spentText(view.spent) : "–"}</dd>
        </div>
      </dl>
    </section>
  );
}

function hasCalls(spent: { zero: number; estimated: number; unknown: number }): boolean {
  return spent.zero + spent.estimated + spent.unknown > 0;
}

/** What is asked again costs again, so the sum is looked at while it goes on. */
function Growing({ run }: { run: string }) {
  useEffect(() => watchAnswer(run), [run]);
  useEffect(() => {
    const timer = window.setInterval(() => void readProposal(run), LOOK_MS);
    return () => window.clearInterval(timer);
  }, [run]);
  const subscribe = useCallback((listener: (text: string) => void) => onAnswer(run, listener), [run]);
  return (
    <>
      <Named tasks={useSketch(subscribe)} />
      <details className="sketch-raw">
        <summary data-testid="change-raw">
          <ChevronRight className="icon t3 planner-turn" size={14} strokeWidth={1.75} aria-hidden="true" />
          {t.proposal.growing}
        </summary>
        <GrowingText label={t.proposal.growing} subscribe={subscribe} testId="change-growing" />
      </details>
    </>
  );
}

/** How far the planner has come through the plan, and what it names that is not in it. */
function Named({ tasks }: { tasks: readonly Sketched[] }) {
  const view = useDraft((s) => s.view);
  const known = useMemo(() => new Set(view?.tasks.map((task) => task.id)), [view]);
  const fresh = tasks.filter((task) => !known.has(task.id));
  return (
    <div className="proposal-named" data-testid="change-named">
      <p className="sm t2 num" role="status">
        {tasks.length === 0 ? t.planning.sketchNone : t.proposal.named(tasks.length, fresh.length)}
      </p>
      {fresh.length > 0 ? (
        <ul className="proposal-fresh sm">
          {fresh.slice(-SHOWN).map((task) => (
            <li key={task.id}>
              <Plus className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
              <span className="el">{visible(task.title)}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
