// One-value fields of a form: text, a number with all its digits, any JSON.
import { useEffect, useState } from "react";
import { isNumber, type Json, number, parse, print } from "../../ipc/json";
import { t } from "../../text";
import { FaultLine } from "../controls/controls";
import { NUMBER } from "./schema";

export type OneField = {
  id?: string;
  label: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  invalid?: boolean;
  disabled?: boolean | undefined;
  testId?: string;
};

export function TextField({ id, label, value, onChange, invalid, disabled, testId }: OneField) {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : print(value);
  return (
    <textarea
      id={id}
      className="field"
      rows={Math.min(8, Math.max(1, text.split("\n").length))}
      aria-label={label}
      aria-invalid={invalid}
      disabled={disabled}
      data-testid={testId}
      dir="auto"
      value={text}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
    />
  );
}

/** Keeps what was typed; only a whole number literal becomes a number, anything else is said to be none. */
export function NumberField({ id, label, value, onChange, invalid, disabled, testId }: OneField) {
  const shown = isNumber(value) ? value.toString() : typeof value === "string" ? value : "";
  return (
    <input
      id={id}
      className="field num"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={invalid}
      disabled={disabled}
      data-testid={testId}
      value={shown}
      onChange={(event) => {
        const text = event.target.value.trim();
        onChange(text === "" ? undefined : NUMBER.test(text) ? number(text) : text);
      }}
    />
  );
}

export function JsonField({ id, label, value, onChange, invalid, disabled, testId }: OneField) {
  const given = value === undefined ? "" : print(value, 2);
  const [text, setText] = useState(given);
  const [fault, setFault] = useState<string | null>(null);
  const [typing, setTyping] = useState(false);
  useEffect(() => {
    if (!typing) setText(given);
  }, [given, typing]);
  const take = (next: string) => {
    setText(next);
    if (next.trim() === "") {
      setFault(null);
      onChange(undefined);
      return;
    }
    try {
      onChange(parse(next));
      setFault(null);
    } catch {
      setFault(t.form.notJson);
    }
  };
  return (
    <>
      <textarea
        id={id}
        className="field mono"
        rows={Math.min(10, Math.max(1, text.split("\n").length))}
        aria-label={label}
        aria-invalid={invalid || fault !== null}
        disabled={disabled}
        data-testid={testId}
        spellCheck={false}
        value={text}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        onChange={(event) => take(event.target.value)}
      />
      {fault ? <FaultLine text={fault} /> : null}
    </>
  );
}
