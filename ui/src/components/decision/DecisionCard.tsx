// One decision that waits for a person: what it is about, the choices with what each does, or a form. The safe choice is
// chosen first and nothing is sent by a single key.
import { Fragment, useId, useRef, useState } from "react";
import type { DecisionView } from "../../ipc/bindings";
import { type Json, objectOf, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { age, visible } from "../../text/format";
import { Button, FaultLine } from "../controls/controls";
import { printKeys, useKeys } from "../controls/keys";
import { DecisionIcon, decisionTone } from "../marks/marks";
import { useNow } from "../marks/time";
import { SchemaForm } from "../values/SchemaForm";
import { defaultOf, missingIn } from "../values/schema";
import { ValueView } from "../values/ValueView";
import { Choices } from "./Choices";
import { Provenance } from "./Provenance";

type Props = {
  decision: DecisionView;
  /** The task's or run's name; null where it stands above already. */
  where: string | null;
  isFocused: boolean;
  onFocus?: () => void;
  /** What the button of a form says. */
  sendLabel?: string;
  /** Gets JSON text; answers null or what went wrong. */
  onAnswer: (given: string) => Promise<string | null>;
};

export function DecisionCard({ decision, where, isFocused, onFocus, sendLabel, onAnswer }: Props) {
  const id = useId();
  const now = useNow(1000);
  const tone = decisionTone(decision.kind);
  const { send, isBusy, fault } = useSend(onAnswer);
  return (
    <article
      className={`decision ${tone}${isFocused ? " focused" : ""}`}
      aria-labelledby={id}
      onFocus={onFocus}
      onMouseDown={onFocus}
      data-testid={`decision-${decision.id}`}
      data-kind={decision.kind}
    >
      <header>
        <DecisionIcon kind={decision.kind} size={18} />
        <h3 id={id} className="grow sel" dir="auto">
          {visible(decision.question)}
        </h3>
        <span className={`tag ${tone}`}>{t.inbox.kind[decision.kind]}</span>
      </header>
      <div className="decision-body">
        <p className="xs t3">
          {where ? `${visible(where)} · ` : ""}
          {age(decision.openedAt, now)}
        </p>
        {decision.about ? <About json={decision.about} /> : null}
        {decision.provenance ? <Provenance told={decision.provenance} /> : null}
        {decision.form ? (
          <FormAnswer decision={decision} isFocused={isFocused} isBusy={isBusy} onSend={send} sendLabel={sendLabel} />
        ) : (
          <OptionAnswer decision={decision} isFocused={isFocused} isBusy={isBusy} onSend={send} />
        )}
        {fault ? <FaultLine text={`${t.inbox.answerFault} ${fault}`} /> : null}
      </div>
    </article>
  );
}

/** A double click is one act: its second half must not answer what has come into the same place. */
const DOUBLE_MS = 400;
let sentAt = Number.NEGATIVE_INFINITY;

function useSend(onAnswer: Props["onAnswer"]) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  // Known at once, not only when the page is drawn anew.
  const sending = useRef(false);
  const send = async (given: string) => {
    if (sending.current || performance.now() - sentAt < DOUBLE_MS) return;
    sending.current = true;
    sentAt = performance.now();
    setBusy(true);
    setFault(await onAnswer(given));
    sending.current = false;
    setBusy(false);
  };
  return { send, isBusy, fault };
}

function About({ json }: { json: string }) {
  const value = tryParse(json);
  const entries = Object.entries(objectOf(value));
  const isFlat =
    entries.length > 0 &&
    entries.length <= 8 &&
    entries.every(([, v]) => typeof v !== "object" || v === null || "isLosslessNumber" in v);
  if (!isFlat) return <ValueView json={json} label={t.inbox.about} />;
  return (
    <dl className="about">
      {entries.map(([name, v]) => (
        <Fragment key={name}>
          <dt className="mono">{name}</dt>
          <dd className="mono sel">{typeof v === "string" ? visible(v) : print(v)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

type AnswerProps = { decision: DecisionView; isFocused: boolean; isBusy: boolean; onSend: (given: string) => void };

function FormAnswer({
  decision,
  isFocused,
  isBusy,
  onSend,
  sendLabel,
}: AnswerProps & { sendLabel?: string | undefined }) {
  const schema = objectOf(tryParse(decision.form));
  const [value, setValue] = useState<Json | undefined>(() => defaultOf(schema));
  const [isAsked, setAsked] = useState(false);
  const missing = missingIn(schema, value);
  const send = () => {
    setAsked(true);
    if (missing.size === 0 && value !== undefined) onSend(print(value));
  };
  useKeys({ "ctrl+enter": send }, "waiting", isFocused);
  return (
    <>
      <SchemaForm
        label={decision.question}
        schema={schema}
        value={value}
        onChange={setValue}
        faults={isAsked ? missing : NO_FAULTS}
        disabled={isBusy}
      />
      <div className="row">
        <Button
          look={isFocused ? "primary" : "plain"}
          hint={isFocused ? printKeys("ctrl+enter") : undefined}
          disabled={isBusy}
          onClick={send}
          data-testid="send-answer"
        >
          {sendLabel ?? t.inbox.send}
        </Button>
      </div>
    </>
  );
}

const NO_FAULTS = new Map<string, string>();

function OptionAnswer({ decision, isFocused, isBusy, onSend }: AnswerProps) {
  const safe = decision.options.find((o) => o.isDefault) ?? decision.options[0];
  const [chosen, setChosen] = useState(safe?.answer ?? "");
  const [output, setOutput] = useState("");
  const option = decision.options.find((o) => o.answer === chosen);
  const takesOutput = decision.kind === "in_doubt" && chosen === "done";
  const send = () => {
    const given = takesOutput ? tryParse(output.trim()) : undefined;
    if (takesOutput && output.trim() !== "" && given === undefined) return;
    onSend(given === undefined ? JSON.stringify(chosen) : print({ done: given }));
  };
  const pick = (n: number) => () => {
    const at = decision.options[n];
    if (at) setChosen(at.answer);
  };
  useKeys({ "ctrl+enter": send, "1": pick(0), "2": pick(1), "3": pick(2), "4": pick(3) }, "waiting", isFocused);
  const isBad = takesOutput && output.trim() !== "" && tryParse(output.trim()) === undefined;
  return (
    <>
      <Choices decision={decision} chosen={chosen} onChoose={setChosen} keys={isFocused} />
      {takesOutput ? (
        <label className="form-field">
          <span className="form-label">{t.inbox.doneValue}</span>
          <textarea
            className="field mono"
            rows={2}
            value={output}
            aria-invalid={isBad}
            onChange={(event) => setOutput(event.target.value)}
            data-testid="done-output"
          />
          {isBad ? <FaultLine text={t.form.notJson} /> : null}
        </label>
      ) : null}
      <div className="row">
        <Button
          look={isFocused ? "primary" : "plain"}
          hint={isFocused ? printKeys("ctrl+enter") : undefined}
          disabled={isBusy || !option}
          onClick={send}
          data-testid="send-answer"
        >
          {option ? visible(option.label) : t.inbox.send}
        </Button>
      </div>
    </>
  );
}
