// The parts that the inspector is made of: a section, a text line, a switch line. Each knows one field of the task.
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { FaultLine, Toggle } from "../../../components/controls/controls";
import { keyOf } from "../../../components/controls/keys";
import { focusWork } from "../../../components/controls/work";
import type { Problem } from "../../../ipc/bindings";
import { visible } from "../../../text/format";
import { useTask } from "./context";
import { useTyped } from "./useTyped";

export function Section({
  title,
  note,
  action,
  field,
  children,
}: {
  title: string;
  note?: ReactNode;
  action?: ReactNode;
  field?: string;
  children: ReactNode;
}) {
  return (
    <section className="inspector-section" aria-label={title} data-field={field}>
      <div className="inspector-head">
        <h3 className="heading">{title}</h3>
        {note ? <span className="xs t3 grow">{note}</span> : <span className="grow" />}
        {action}
      </div>
      {children}
      {field ? <Faults field={field} exact /> : null}
    </section>
  );
}

/** The problems of a field, as the engine told them. */
export function Faults({ field, exact = false }: { field: string; exact?: boolean }) {
  const { problems } = useTask();
  const found = problems.filter((p) => (exact ? p.at === field : p.at === field || p.at.startsWith(`${field}/`)));
  return found.map((p, ix) => <FaultLine key={ix} text={visible(p.problem.message)} severity={p.problem.severity} />);
}

export type PlacedProblem = { at: string; problem: Problem };

type LineProps = {
  label: string;
  field: string;
  value: string;
  hint?: string;
  mono?: boolean;
  lines?: number;
  testId?: string;
  /** Offered while it is written; anything else may be written too. */
  offers?: readonly string[];
  /** Enter and Escape lead back to the card or row whose name this is. */
  isName?: boolean;
  onSend: (text: string) => unknown;
};

/** One text, over one line or several. In a single line Enter sends, and Escape brings back what stood there before. */
export function TextLine({ label, field, value, hint, mono, lines = 1, testId, offers, isName, onSend }: LineProps) {
  const listId = useId();
  const typed = useTyped(value, onSend);
  const { problems, isLocked } = useTask();
  const invalid = problems.some((p) => p.at === field && p.problem.severity === "error");
  const before = useRef(value);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key === "enter") typed.flush();
    if (key === "escape" && typed.text !== before.current) typed.type(before.current);
    if (!isName || (key !== "enter" && key !== "escape")) return;
    event.preventDefault();
    typed.flush();
    focusWork();
  };
  const shared = {
    "aria-label": label,
    "aria-invalid": invalid,
    placeholder: hint,
    readOnly: isLocked,
    value: typed.text,
    "data-field": field,
    "data-testid": testId,
    className: `field${mono ? " mono" : ""}`,
    spellCheck: !mono,
    onBlur: typed.flush,
  };
  if (lines === 1)
    return (
      <>
        <input
          {...shared}
          list={offers ? listId : undefined}
          dir={mono ? "ltr" : "auto"}
          onChange={(event) => typed.type(event.target.value)}
          onFocus={() => {
            before.current = typed.text;
          }}
          onKeyDown={onKeyDown}
        />
        {offers ? (
          <datalist id={listId}>
            {offers.map((offer) => (
              <option key={offer} value={offer} />
            ))}
          </datalist>
        ) : null}
      </>
    );
  return (
    <textarea
      {...shared}
      dir="auto"
      rows={Math.min(10, Math.max(lines, typed.text.split("\n").length))}
      onChange={(event) => typed.type(event.target.value)}
    />
  );
}

type SwitchProps = {
  label: string;
  note: string;
  field: string;
  on: boolean;
  onChange: (on: boolean) => void;
  testId?: string;
};

export function SwitchLine({ label, note, field, on, onChange, testId }: SwitchProps) {
  const { isLocked } = useTask();
  return (
    <div className="switch-line" data-field={field}>
      <div className="grow">
        <span>{label}</span>
        <p className="xs t3">{note}</p>
      </div>
      <Toggle label={label} checked={on} onChange={onChange} disabled={isLocked} testId={testId} />
    </div>
  );
}
