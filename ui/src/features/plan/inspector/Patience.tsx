// How often and how long a task is tried: attempts, waits, time limit. Empty means the usual value, shown as a hint.

import { NUMBER } from "../../../components/values/schema";
import { type Json, number, objectOf, print } from "../../../ipc/json";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { Faults, Section, TextLine } from "./parts";

const USUAL = { max_attempts: "4", initial_ms: "1000", multiplier: "2", max_ms: "8000" } as const;

export function Patience() {
  const { document } = useTask();
  const retry = objectOf(document.retry);
  const shown = (value: Json | undefined) =>
    value === undefined ? "" : typeof value === "string" ? value : print(value);
  return (
    <Section title={t.inspector.retry} field="/retry">
      <div className="patience">
        <NumberLine
          label={t.inspector.attempts}
          field="/retry/max_attempts"
          value={shown(retry.max_attempts)}
          hint={USUAL.max_attempts}
        />
        <NumberLine
          label={`${t.inspector.wait}, ${t.inspector.ms}`}
          field="/retry/initial_ms"
          value={shown(retry.initial_ms)}
          hint={USUAL.initial_ms}
        />
        <NumberLine
          label={t.inspector.multiplier}
          field="/retry/multiplier"
          value={shown(retry.multiplier)}
          hint={USUAL.multiplier}
        />
        <NumberLine
          label={`${t.inspector.most}, ${t.inspector.ms}`}
          field="/retry/max_ms"
          value={shown(retry.max_ms)}
          hint={USUAL.max_ms}
        />
        <NumberLine
          label={`${t.inspector.timeout}, ${t.inspector.seconds}`}
          field="/timeout_s"
          value={shown(document.timeout_s)}
          hint={t.inspector.unset}
        />
      </div>
      <p className="xs t3">{t.inspector.retryNote}</p>
      <Faults field="/retry" />
      <Faults field="/timeout_s" />
    </Section>
  );
}

/** What is no number is sent as text, so that the engine says what is wrong with it. */
function NumberLine({ label, field, value, hint }: { label: string; field: string; value: string; hint: string }) {
  const set = useSetField();
  const send = (text: string) => {
    const trimmed = text.trim();
    return set(field, trimmed === "" ? undefined : NUMBER.test(trimmed) ? number(trimmed) : trimmed);
  };
  return (
    <div className="patience-line">
      <span className="xs t3">{label}</span>
      <TextLine
        label={label}
        field={field}
        value={value}
        hint={hint}
        onSend={send}
        testId={`field${field.replaceAll("/", "-")}`}
      />
    </div>
  );
}
