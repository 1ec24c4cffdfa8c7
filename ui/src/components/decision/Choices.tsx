// The choices of a decision as radio cards, each with what it would do.

import { type KeyboardEvent, useRef } from "react";
import type { DecisionView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";
import { printKeys } from "../controls/keys";

type Props = { decision: DecisionView; chosen: string; onChoose: (answer: string) => void; keys: boolean };

export function Choices({ decision, chosen, onChoose, keys }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const { options } = decision;
    const here = options.findIndex((o) => o.answer === chosen);
    const next = (here + by + options.length) % options.length;
    onChoose(options[next]?.answer ?? chosen);
    box.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div className="choices" role="radiogroup" aria-label={t.inbox.choices} ref={box} onKeyDown={onKeyDown}>
      {decision.options.map((option, ix) => (
        <button
          key={option.answer}
          type="button"
          role="radio"
          aria-checked={option.answer === chosen}
          tabIndex={option.answer === chosen ? 0 : -1}
          className="choice"
          onClick={() => onChoose(option.answer)}
          data-testid={`option-${option.answer}`}
        >
          <i className="radio" aria-hidden="true" />
          <span className="grow">
            <b>{visible(option.label)}</b>
            <span className="sm t2">{visible(option.consequence)}</span>
          </span>
          {keys ? <kbd>{printKeys(String(ix + 1))}</kbd> : null}
        </button>
      ))}
    </div>
  );
}
