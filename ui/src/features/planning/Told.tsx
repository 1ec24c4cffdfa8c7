// The goal as it was written, and what the log says of its planning, newest last.
import { useEffect, useMemo, useRef } from "react";
import { usePlanning } from "../../state/planning";
import { t } from "../../text";
import { timeOfDay, visible } from "../../text/format";

export function Goal({ text }: { text: string }) {
  return (
    <section aria-label={t.planning.goal}>
      <h3 className="heading planning-heading">{t.planning.goal}</h3>
      <p className="planning-goal sel" dir="auto" data-testid="planning-goal">
        {visible(text)}
      </p>
    </section>
  );
}

export function Happened() {
  const told = usePlanning((s) => s.events);
  // The goal stands beside the list already.
  const events = useMemo(() => told.filter((event) => event.kind !== "goal_given"), [told]);
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new events are brought into view
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [events.length]);
  return (
    <section className="planning-events" aria-label={t.planning.events}>
      <h3 className="heading planning-heading">{t.planning.events}</h3>
      {events.length === 0 ? <p className="t3 sm">{t.planning.eventsNone}</p> : null}
      <ol ref={list} tabIndex={0} aria-label={t.planning.events} data-testid="planning-events">
        {events.map((event) => (
          <li key={event.seq}>
            <span className="t3 num xs">{event.at === null ? "" : timeOfDay(event.at)}</span>
            <span className="sm sel">{visible(event.text)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
