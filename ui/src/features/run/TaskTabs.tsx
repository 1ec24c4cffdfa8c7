// The four faces of a task: what it was given, what it gave, how often it was tried with which calls, and what was logged.
import type { ReactNode } from "react";
import { FaultLine } from "../../components/controls/controls";
import { EffectIcon, isRisky } from "../../components/marks/marks";
import { ValueView } from "../../components/values/ValueView";
import type { AttemptView, CallView, TaskDetail } from "../../ipc/bindings";
import { t } from "../../text";
import { span, timeOfDay, visible } from "../../text/format";
import { EventIcon } from "./Events";

function Part({ title, note, children }: { title: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <section className="task-part">
      <div className="inspector-head">
        <h3 className="heading">{title}</h3>
        <span className="xs t3 grow el">{note}</span>
      </div>
      {children}
    </section>
  );
}

export function Inputs({ detail }: { detail: TaskDetail }) {
  return (
    <>
      <Part title={t.run.instruction}>
        <p className="t1 sel prose" dir="auto">
          {visible(detail.instruction)}
        </p>
      </Part>
      {detail.inputs.length === 0 ? <p className="task-none t3">{t.run.noInputs}</p> : null}
      {detail.inputs.map((input) => (
        <Part key={input.name} title={<span className="mono">{input.name}</span>} note={visible(input.source)}>
          <ValueView json={input.json} label={input.name} />
        </Part>
      ))}
    </>
  );
}

export function Output({ detail }: { detail: TaskDetail }) {
  if (detail.output === null) {
    const isOver = detail.task.endedAt !== null;
    return <p className="task-none t3">{isOver ? t.run.noOutputOver : t.run.noOutput}</p>;
  }
  return (
    <Part title={t.run.tabs.output} note={detail.task.summary}>
      <ValueView json={detail.output} label={t.run.tabs.output} />
    </Part>
  );
}

export function Attempts({ detail }: { detail: TaskDetail }) {
  if (detail.attempts.length === 0) return <p className="task-none t3">{t.run.noAttempts}</p>;
  return [...detail.attempts].reverse().map((attempt) => <Attempt key={attempt.number} attempt={attempt} />);
}

function Attempt({ attempt }: { attempt: AttemptView }) {
  const started = attempt.startedAt === null ? "" : timeOfDay(attempt.startedAt);
  const took =
    attempt.startedAt === null || attempt.endedAt === null
      ? t.run.attemptNow
      : span(attempt.endedAt - attempt.startedAt);
  return (
    <Part title={t.run.attempt(attempt.number)} note={`${started} · ${took}`}>
      {attempt.error && !attempt.calls.some((call) => call.error?.message === attempt.error?.message) ? (
        <FaultLine text={visible(`${attempt.error.message} (${attempt.error.code})`)} />
      ) : null}
      {attempt.calls.length === 0 ? <p className="sm t3">{t.run.noCalls}</p> : null}
      {attempt.calls.map((call, ix) => (
        <Call key={ix} call={call} />
      ))}
    </Part>
  );
}

function Call({ call }: { call: CallView }) {
  const took =
    call.startedAt === null || call.endedAt === null ? t.run.attemptNow : span(call.endedAt - call.startedAt);
  return (
    <div className="call" data-testid="call">
      <div className="row">
        <span className="mono">{call.tool}</span>
        <span className={`tag${isRisky(call.effect) ? " retrying" : ""}`}>
          <EffectIcon effect={call.effect} size={12} />
          {t.words.effect[call.effect]}
        </span>
        <span className="grow" />
        <span className="xs t3 num">{took}</span>
      </div>
      <h4 className="xs t3">{t.run.callArguments}</h4>
      <ValueView json={call.arguments} label={t.run.callArguments} />
      {call.result === null ? null : (
        <>
          <h4 className="xs t3">{t.run.callResult}</h4>
          <ValueView json={call.result} label={t.run.callResult} />
        </>
      )}
      {call.error ? <FaultLine text={visible(`${call.error.message} (${call.error.code})`)} /> : null}
      {isRisky(call.effect) ? (
        <p className="xs t3 sel">
          {t.run.key} <span className="mono">{call.idempotencyKey}</span>
        </p>
      ) : null}
    </div>
  );
}

export function Log({ detail }: { detail: TaskDetail }) {
  if (detail.events.length === 0) return <p className="task-none t3">{t.run.noLog}</p>;
  return (
    <ol className="task-log">
      {detail.events.map((event) => (
        <li key={event.seq}>
          <span className="mono t3">{event.at === null ? "" : timeOfDay(event.at)}</span>
          <EventIcon kind={event.kind} />
          <span className="t2 sel">{visible(event.text)}</span>
        </li>
      ))}
    </ol>
  );
}
