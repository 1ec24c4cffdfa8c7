// One decision that waits for a person: what it is about, the choices with what each does, or a form. The safe choice is
// chosen first and nothing is sent by a single key.
import { Fragment, type ReactNode, useId, useRef, useState } from "react";
import type { DecisionView } from "../../ipc/bindings";
import { objectOf, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { age, list, visible } from "../../text/format";
import { FaultLine } from "../controls/controls";
import { DecisionIcon, decisionTone } from "../marks/marks";
import { useNow } from "../marks/time";
import { ValueView } from "../values/ValueView";
import { Arguments } from "./Arguments";
import { FormAnswer } from "./FormAnswer";
import { OptionAnswer } from "./OptionAnswer";
import { Provenance } from "./Provenance";
import { ReplanAbout } from "./ReplanAbout";

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
  /** What does not fit the form, field by field. */
  onCheck?: (given: string) => Promise<{ at: string; message: string }[]>;
  /** Of the tool that would be called, its schema as JSON text. */
  schema?: string | null;
  /** Another way to look at it, such as a screen of its own. */
  children?: ReactNode;
};

export type AnswerProps = {
  decision: DecisionView;
  isFocused: boolean;
  isBusy: boolean;
  onSend: (given: string) => void;
};

export function DecisionCard(props: Props) {
  const { decision, where, isFocused, onFocus, sendLabel, onAnswer, onCheck, schema, children } = props;
  const id = useId();
  const now = useNow(10_000);
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
        {decision.provenance?.parts.some((part) => part.isUntrusted) ? (
          <span className="tag retrying">{t.inbox.hasUntrusted}</span>
        ) : null}
        <span className={`tag ${tone}`}>{t.inbox.kind[decision.kind]}</span>
      </header>
      <div className="decision-body">
        <p className="xs t3">
          {where ? `${visible(where)} · ` : ""}
          {age(decision.openedAt, now)}
          {decision.holdsUp > 0 ? ` · ${heldUp(decision)}` : ""}
        </p>
        <About decision={decision} />
        {decision.provenance ? <Provenance told={decision.provenance} /> : null}
        {children}
        {decision.form ? (
          <FormAnswer
            decision={decision}
            isFocused={isFocused}
            isBusy={isBusy}
            onSend={send}
            sendLabel={sendLabel}
            onCheck={onCheck}
          />
        ) : (
          <OptionAnswer
            decision={decision}
            isFocused={isFocused}
            isBusy={isBusy}
            onSend={send}
            schema={schema ?? null}
          />
        )}
        {fault ? <FaultLine text={`${t.inbox.answerFault} ${visible(fault)}`} /> : null}
      </div>
    </article>
  );
}

/** Who waits for the answer, so that what is at stake is known before it is given. */
function heldUp(decision: DecisionView): string {
  const names = decision.heldUp.map(visible);
  const more = decision.holdsUp - names.length;
  return t.inbox.holdsUp(list(more > 0 ? [...names, t.inbox.others(more)] : names));
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

function About({ decision }: { decision: DecisionView }) {
  const json = decision.about;
  if (!json) return null;
  if (decision.kind === "replan") return <ReplanAbout json={json} />;
  if (decision.kind === "effect") return <Arguments json={json} told={decision.provenance} />;
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
