// Faces of a task beside its trace: what it was given, what it gave, and what was logged.
import type { ReactNode } from "react";
import { ValueView } from "../../components/values/ValueView";
import type { TaskDetail } from "../../ipc/bindings";
import { t } from "../../text";
import { timeOfDay, visible } from "../../text/format";
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
