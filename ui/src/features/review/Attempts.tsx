// The attempts of a task as far as they had come at a moment: one chip each, those that were still to come dashed, and the trace
// of the one that is chosen.
import { CircleCheck, CircleDashed, LoaderCircle, OctagonX } from "lucide-react";
import { useState } from "react";
import type { AttemptView, TaskDetail, TaskStatus } from "../../ipc/bindings";
import { t } from "../../text";
import type { Joined } from "./ReviewScreen";

type Props = {
  run: string;
  task: string;
  detail: TaskDetail;
  at: number;
  /** The task's state then: several events may share a millisecond. */
  status: TaskStatus | undefined;
  trace: Joined["trace"];
};

export function Attempts({ run, task, detail, at, status, trace }: Props) {
  const [picked, setPicked] = useState<number | null>(null);
  const { attempts } = detail;
  const isWaiting = status === "PENDING" || status === "READY";
  const begun = attempts.filter(({ startedAt }) => (startedAt ?? 0) < at || (startedAt === at && !isWaiting));
  const last = begun.length - 1;
  const shown = picked !== null && picked <= last ? picked : last;
  if (attempts.length === 0) return <p className="task-none t3">{t.review.notYet}</p>;
  const attempt = begun[shown];
  return (
    <>
      {attempts.length > 1 ? (
        <div className="attempt-chips" role="radiogroup" aria-label={t.review.attempts}>
          {attempts.map((one, ix) => (
            <Chip
              key={one.startedAt ?? ix}
              attempt={one}
              number={ix + 1}
              at={at}
              isLater={!begun.includes(one)}
              isShown={ix === shown}
              onPick={() => setPicked(ix)}
            />
          ))}
        </div>
      ) : null}
      {attempt ? (
        trace(run, task, { ...detail, attempts: [then(attempt, at)] })
      ) : (
        <p className="task-none t3">{t.review.notYet}</p>
      )}
    </>
  );
}

type ChipProps = {
  attempt: AttemptView;
  number: number;
  at: number;
  isLater: boolean;
  isShown: boolean;
  onPick: () => void;
};

function Chip({ attempt, number, at, isLater, isShown, onPick }: ChipProps) {
  const isOpen = attempt.endedAt === null || attempt.endedAt > at;
  const Icon = isLater ? CircleDashed : isOpen ? LoaderCircle : attempt.error ? OctagonX : CircleCheck;
  const tone = isLater ? "t3" : isOpen ? "tone-running" : attempt.error ? "tone-failed" : "tone-completed";
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isShown}
      className={`attempt-chip${isLater ? " later" : ""}`}
      disabled={isLater}
      onClick={onPick}
      data-testid={`attempt-${number}`}
    >
      <Icon className={`icon ${tone}`} size={13} strokeWidth={1.75} aria-hidden="true" />
      {t.review.attempt(number)}
      {isLater ? ` · ${t.review.later}` : null}
    </button>
  );
}

/** What of an attempt had happened by then. A call that was under way has no result yet. */
function then(attempt: AttemptView, at: number): AttemptView {
  const calls = attempt.calls
    .filter((call) => (call.startedAt ?? 0) <= at)
    .map((call) =>
      call.endedAt !== null && call.endedAt > at
        ? { ...call, endedAt: null, result: null, error: null, reply: null, paid: null }
        : call,
    );
  const isOver = attempt.endedAt !== null && attempt.endedAt <= at;
  return { ...attempt, calls, endedAt: isOver ? attempt.endedAt : null, error: isOver ? attempt.error : null };
}
