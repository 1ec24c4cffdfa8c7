// Every question to the planner, oldest first: who was asked, how it ended, what it took; the raw answer a click away.
import { ChevronRight, CircleCheck, LoaderCircle, OctagonX, Scissors } from "lucide-react";
import type { PlannerCallView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible, whole } from "../../text/format";

export function Calls({ calls, isGoing }: { calls: readonly PlannerCallView[]; isGoing: boolean }) {
  return (
    <section aria-label={t.planning.callsTitle} data-testid="planner-calls">
      <h3 className="heading planning-heading">{t.planning.callsTitle}</h3>
      {calls.length === 0 ? <p className="t3">{t.planning.callsNone}</p> : null}
      <ol className="planner-calls">
        {calls.map((call, ix) => (
          <li key={ix}>
            <Call call={call} number={ix + 1} isGoing={isGoing && ix === calls.length - 1} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Call({ call, number, isGoing }: { call: PlannerCallView; number: number; isGoing: boolean }) {
  const isLost = call.outcome === "open" && !isGoing;
  const word = isLost ? t.planning.callsLost : (t.planning.outcome[call.outcome] ?? call.outcome);
  const hasMore = call.answer !== "" || call.error !== null;
  const head = (
    <>
      <Outcome outcome={isLost ? "lost" : call.outcome} />
      <b>{t.planning.call(number)}</b>
      <code className="mono t2 el">{visible(call.model)}</code>
      <span className={`planner-word ${call.outcome === "complete" ? "t2" : toneOf(call.outcome, isLost)}`}>
        {word}
      </span>
      <span className="grow" />
      <span className="sm t3 num planner-tokens">{tokensOf(call)}</span>
    </>
  );
  if (!hasMore) return <div className="planner-call plain">{head}</div>;
  return (
    <details className="planner-call" data-testid={`planner-call-${number}`} data-outcome={call.outcome}>
      <summary>
        {head}
        <ChevronRight className="icon t3 planner-turn" size={14} strokeWidth={1.75} aria-hidden="true" />
      </summary>
      {call.error ? <p className="tone-failed sel planner-error">{visible(call.error)}</p> : null}
      {call.answer ? (
        <>
          <p className="xs t3">
            {t.planning.raw}. {t.planning.rawNote}
          </p>
          <pre className="planner-raw mono sel" dir="auto" role="region" aria-label={t.planning.raw} tabIndex={0}>
            {visible(call.answer)}
          </pre>
        </>
      ) : null}
    </details>
  );
}

function tokensOf(call: PlannerCallView): string {
  if (call.inputTokens === null || call.outputTokens === null) return "";
  return t.planning.tokensOf(whole(call.inputTokens), whole(call.outputTokens));
}

function toneOf(outcome: string, isLost: boolean): string {
  if (isLost) return "t3";
  return outcome === "open" ? "tone-running" : outcome === "cut" ? "tone-retrying" : "tone-failed";
}

function Outcome({ outcome }: { outcome: string }) {
  const shared = { size: 15, strokeWidth: 1.75, "aria-hidden": true } as const;
  if (outcome === "open") return <LoaderCircle className="icon tone-running spin" {...shared} />;
  if (outcome === "complete") return <CircleCheck className="icon tone-completed" {...shared} />;
  if (outcome === "cut") return <Scissors className="icon tone-retrying" {...shared} />;
  return <OctagonX className={`icon ${outcome === "lost" ? "t3" : "tone-failed"}`} {...shared} />;
}
