// The answer to a question by its form. What is missing is said at once; what does not fit, field by field, by the engine.
import { useState } from "react";
import { type Json, objectOf, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Button, FaultLine } from "../controls/controls";
import { printKeys, useKeys } from "../controls/keys";
import { SchemaForm } from "../values/SchemaForm";
import { defaultOf, missingIn } from "../values/schema";
import type { AnswerProps } from "./DecisionCard";

type Props = AnswerProps & {
  sendLabel?: string | undefined;
  onCheck?: ((given: string) => Promise<{ at: string; message: string }[]>) | undefined;
};

const NO_FAULTS = new Map<string, string>();

export function FormAnswer({ decision, isFocused, isBusy, onSend, sendLabel, onCheck }: Props) {
  const schema = objectOf(tryParse(decision.form));
  const [value, setValue] = useState<Json | undefined>(() => defaultOf(schema));
  const [isAsked, setAsked] = useState(false);
  const [told, setTold] = useState<{ of: string; faults: Map<string, string> } | null>(null);
  const missing = missingIn(schema, value);
  const now = value === undefined ? "" : print(value);
  // What the engine has said of another answer says nothing of this one.
  const faults = told?.of === now ? new Map([...told.faults, ...missing]) : missing;
  const send = async () => {
    setAsked(true);
    if (missing.size > 0 || value === undefined) return;
    const wrong = (await onCheck?.(now)) ?? [];
    if (wrong.length === 0) onSend(now);
    else setTold({ of: now, faults: new Map(wrong.map((one) => [one.at, visible(one.message)])) });
  };
  useKeys({ "ctrl+enter": () => void send() }, "waiting", isFocused);
  const whole = isAsked && !isNamedIn(faults, schema) ? [...faults.values()] : [];
  return (
    <>
      <SchemaForm
        label={decision.question}
        schema={schema}
        value={value}
        onChange={setValue}
        faults={isAsked ? faults : NO_FAULTS}
        disabled={isBusy}
      />
      {whole.map((text) => (
        <FaultLine key={text} text={text} />
      ))}
      <div className="row">
        <Button
          look={isFocused ? "primary" : "plain"}
          hint={isFocused ? printKeys("ctrl+enter") : undefined}
          disabled={isBusy}
          onClick={() => void send()}
          data-testid="send-answer"
        >
          {sendLabel ?? t.inbox.send}
        </Button>
      </div>
    </>
  );
}

/** Whether each fault stands beside a field of the form; else it is told below it, so that none is unseen. */
function isNamedIn(faults: ReadonlyMap<string, string>, schema: ReturnType<typeof objectOf>): boolean {
  const fields = Object.keys(objectOf(schema.properties)).map(
    (name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
  );
  const isShown = (at: string) => (fields.length === 0 ? at === "" : fields.includes(at));
  return [...faults.keys()].every(isShown);
}
