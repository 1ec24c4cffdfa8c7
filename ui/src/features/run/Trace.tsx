// The trace of a task: what its model thought, which calls it made with what, what they gave, and the answer; live at its end.
import { CornerDownRight, Flag, Lightbulb, OctagonX, Wrench } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { FaultLine, Segments } from "../../components/controls/controls";
import { GrowingText } from "../../components/GrowingText";
import { EffectIcon, isRisky } from "../../components/marks/marks";
import { ValueView } from "../../components/values/ValueView";
import type { AttemptView, CallView, PaidView, TaskDetail } from "../../ipc/bindings";
import { t } from "../../text";
import { bytes, cents, span, timeOfDay, visible, whole } from "../../text/format";
import { briefOf, type Step, stepsOf } from "./steps";
import { type Detail, setDetail, useTrace } from "./traceStore";
import { watchWords } from "./words";

type Props = { run: string; task: string; detail: TaskDetail };

export function Trace({ run, task, detail }: Props) {
  const level = useTrace((s) => s.detail);
  if (detail.attempts.length === 0) return <p className="task-none t3">{t.run.noAttempts}</p>;
  const steps = stepsOf(detail.attempts);
  return (
    <div className="trace" data-testid="trace">
      <div className="trace-head">
        <Segments<Detail>
          label={t.trace.detail}
          value={level}
          onChange={setDetail}
          choices={(["brief", "steps", "raw"] as const).map((value) => ({ value, label: t.trace.levels[value] }))}
          testId="trace-detail"
        />
      </div>
      {detail.attempts.map((attempt, ix) => (
        <Attempt
          key={attempt.number}
          attempt={attempt}
          steps={steps[ix] ?? []}
          isOnly={detail.attempts.length === 1}
          level={level}
          words={{ run, task }}
        />
      ))}
    </div>
  );
}

type Words = { run: string; task: string };
type AttemptProps = { attempt: AttemptView; steps: Step[]; isOnly: boolean; level: Detail; words: Words };

function Attempt({ attempt, steps, isOnly, level, words }: AttemptProps) {
  const { error } = attempt;
  const isSaid = attempt.calls.some((call) => call.error?.message === error?.message);
  return (
    <section className="trace-attempt" aria-label={t.run.attempt(attempt.number)}>
      {isOnly ? null : (
        <header className="inspector-head">
          <h3 className="heading">{t.run.attempt(attempt.number)}</h3>
          <span className="xs t3 grow el">{whenOf(attempt)}</span>
        </header>
      )}
      {steps.length === 0 ? <p className="sm t3">{isOnly ? whenOf(attempt) : t.run.noCalls}</p> : null}
      <ol className="trace-steps">
        {steps.map((step, ix) => (
          <StepRow key={ix} step={step} level={level} words={words} />
        ))}
      </ol>
      {error && !isSaid ? <FaultLine text={visible(`${error.message} (${error.code})`)} /> : null}
    </section>
  );
}

function whenOf(attempt: AttemptView): string {
  if (attempt.startedAt === null) return t.run.attemptNow;
  const took = attempt.endedAt === null ? t.run.attemptNow : span(attempt.endedAt - attempt.startedAt);
  return `${timeOfDay(attempt.startedAt)} · ${took}`;
}

const ICON: Record<Step["kind"], typeof Flag> = {
  thought: Lightbulb,
  live: Lightbulb,
  call: Wrench,
  notMade: Wrench,
  observation: CornerDownRight,
  answer: Flag,
  failed: OctagonX,
};

function StepRow({ step, level, words }: { step: Step; level: Detail; words: Words }) {
  const Icon = ICON[step.kind];
  return (
    <li className={`trace-step ${step.kind}`} data-step={step.kind} tabIndex={-1} data-testid={`step-${step.kind}`}>
      <span className="trace-mark">
        <Icon className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      </span>
      <div className="trace-body">
        <div className="trace-title">
          <Title step={step} />
          <span className="grow" />
          <span className="xs t3 num">{metaOf(step)}</span>
        </div>
        {level === "brief" && step.kind !== "live" ? (
          <p className="sm t2 el">{visible(briefOf(step))}</p>
        ) : (
          <Body step={step} isRaw={level === "raw"} words={words} />
        )}
      </div>
    </li>
  );
}

function Title({ step }: { step: Step }) {
  const name = <strong>{t.trace.kinds[step.kind]}</strong>;
  switch (step.kind) {
    case "call":
      return (
        <>
          {name} <span className="mono el">{visible(step.call.tool)}</span>
          <span className={`tag${isRisky(step.call.effect) ? " retrying" : ""}`}>
            <EffectIcon effect={step.call.effect} size={12} />
            {t.words.effect[step.call.effect]}
          </span>
        </>
      );
    case "notMade":
      return (
        <>
          {name} <span className="mono el">{visible(step.asked.name)}</span>
        </>
      );
    case "observation":
      return (
        <>
          <strong>{step.isOfAgent ? t.trace.kinds.observation : t.run.callResult}</strong>
          <Labels call={step.call} />
        </>
      );
    case "answer":
      return step.isSentBack ? (
        <>
          {name} <span className="tag retrying">{t.trace.sentBack}</span>
        </>
      ) : (
        name
      );
    case "thought":
    case "failed":
    case "live":
      return name;
  }
}

function Labels({ call }: { call: CallView }) {
  return (
    <>
      {call.isUntrusted ? <span className="tag retrying">{t.trace.untrusted}</span> : null}
      {call.isPrivate ? <span className="tag">{t.trace.private}</span> : null}
    </>
  );
}

function metaOf(step: Step): string {
  const parts: string[] = [];
  if (step.kind === "thought" || step.kind === "answer") {
    if (step.turn !== null) parts.push(String(step.turn));
    if (step.paid) parts.push(paidText(step.paid));
  }
  if (step.kind === "observation" && step.call.result !== null) parts.push(bytes(step.call.result.length));
  if (step.took !== null && !(step.kind === "answer" && step.paid === null)) parts.push(span(step.took));
  if (step.kind === "live") parts.push(t.trace.writing);
  return parts.join(" · ");
}

/** Tokens in and out, and what that cost where it is known. */
function paidText(paid: PaidView): string {
  const tokens = t.trace.tokens(whole(paid.inputTokens ?? 0), whole(paid.outputTokens ?? 0));
  const sure = paid.isCounted ? tokens : t.trace.atMost(tokens);
  return paid.usd === null || Number(paid.usd) === 0 ? sure : `${sure} · $${cents(paid.usd)}`;
}

function Body({ step, isRaw, words }: { step: Step; isRaw: boolean; words: Words }): ReactNode {
  switch (step.kind) {
    case "thought":
      if (isRaw) return <ValueView json={step.raw} label={t.trace.kinds.thought} />;
      return step.text ? <Prose text={step.text} /> : null;
    case "answer":
      if (isRaw) return <ValueView json={step.raw} label={t.trace.kinds.answer} />;
      return step.json === null ? (
        <Prose text={step.text} />
      ) : (
        <ValueView json={step.json} label={t.trace.kinds.answer} />
      );
    case "call":
      return (
        <>
          <div className="trace-value">
            <ValueView json={step.call.arguments} label={t.run.callArguments} />
          </div>
          {isRaw ? <Small call={step.call} /> : null}
        </>
      );
    case "notMade":
      return (
        <>
          <p className="sm t3">{t.trace.notMadeNote}</p>
          <pre className="value-text mono sel">{visible(step.asked.arguments)}</pre>
        </>
      );
    case "observation":
      return (
        <>
          {step.call.result === null ? null : (
            <div className={`trace-value${step.call.isUntrusted ? " untrusted" : ""}`}>
              <ValueView json={step.call.result} label={t.run.callResult} />
            </div>
          )}
          <Failure call={step.call} />
        </>
      );
    case "failed":
      return <Failure call={step.call} />;
    case "live":
      return <Live words={words} />;
  }
}

function Prose({ text }: { text: string }) {
  return (
    <p className="t1 sel prose" dir="auto">
      {visible(text)}
    </p>
  );
}

/** What only somebody looks for who wants to know it all. */
function Small({ call }: { call: CallView }) {
  return (
    <>
      {call.touches.map((touch) => (
        <p key={touch} className="xs t3 sel">
          {visible(touch)}
        </p>
      ))}
      {isRisky(call.effect) ? (
        <p className="xs t3 sel">
          {t.run.key} <span className="mono">{call.idempotencyKey}</span>
        </p>
      ) : null}
    </>
  );
}

function Failure({ call }: { call: CallView }) {
  return call.error ? <FaultLine text={visible(`${call.error.message} (${call.error.code})`)} /> : null;
}

/** What is being written; it draws itself and nothing else. */
function Live({ words: { run, task } }: { words: Words }) {
  const subscribe = useCallback((listener: (text: string) => void) => watchWords(run, task, listener), [run, task]);
  return <GrowingText label={t.trace.kinds.live} subscribe={subscribe} testId="trace-live" />;
}
