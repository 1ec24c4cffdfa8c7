// The decisions as cards. Of very many only those near the one in focus are drawn; the list beside them has all.
import { memo, useCallback, useRef } from "react";
import { Button } from "../../components/controls/controls";
import { DecisionCard } from "../../components/decision/DecisionCard";
import type { DecisionView } from "../../ipc/bindings";
import { answer, keyOfDecision, misfitsOf } from "../../state/decide";
import { go } from "../../state/route";
import { useTools } from "../../state/tools";
import { t } from "../../text";
import type { PlaceOf } from "./InboxScreen";
import { drawn } from "./sorted";

/** `onTouch`: somebody works inside a card; the keyboard stays where it is. */
type Props = {
  decisions: readonly DecisionView[];
  at: number;
  where: (decision: DecisionView) => string;
  placeOf: PlaceOf;
  onTouch: (key: string) => void;
};

export function Cards({ decisions, at, where, placeOf, onTouch }: Props) {
  const worked = useRef(new Set<string>());
  const focused = decisions[at];
  const tools = useTools((s) => s.tools);
  const schemaOf = (d: DecisionView) => tools?.find((tool) => tool.name === d.provenance?.tool)?.arguments ?? null;
  // The same for all cards and always, so that a step from one to the next draws two of them and not all.
  const latest = useRef(onTouch);
  latest.current = onTouch;
  const touch = useCallback((key: string) => latest.current(key), []);
  const work = useCallback((key: string) => void worked.current.add(key), []);
  return (
    <div className="inbox-cards" data-testid="inbox">
      {drawn(decisions, at, worked.current).map((item, ix) =>
        typeof item === "number" ? (
          <p className="inbox-gap sm t3" key={`gap${ix}`} data-testid="inbox-gap">
            {t.inbox.notDrawn(item)}
          </p>
        ) : (
          <Card
            key={keyOfDecision(item)}
            decision={item}
            isFocused={item === focused}
            where={where(item)}
            place={placeOf(item)}
            schema={schemaOf(item)}
            onTouch={touch}
            onWork={work}
          />
        ),
      )}
    </div>
  );
}

type CardProps = {
  decision: DecisionView;
  isFocused: boolean;
  where: string;
  place: ReturnType<PlaceOf>;
  schema: string | null;
  onTouch: (key: string) => void;
  /** Something was typed or chosen in it. */
  onWork: (key: string) => void;
};

const Card = memo(
  function Card({ decision, isFocused, where, place, schema, onTouch, onWork }: CardProps) {
    const key = keyOfDecision(decision);
    return (
      <div data-decision={key} onInputCapture={() => onWork(key)} onClickCapture={() => onWork(key)}>
        <DecisionCard
          decision={decision}
          where={where}
          isFocused={isFocused}
          onFocus={() => !isFocused && onTouch(key)}
          onAnswer={(given) => answer(decision, given)}
          onCheck={(given) => misfitsOf(decision, given)}
          schema={schema}
        >
          {place === "replan" ? (
            <div className="row">
              <Button onClick={() => go({ screen: "replan", run: decision.run })} data-testid="open-replan">
                {t.replan.entry}
              </Button>
            </div>
          ) : null}
        </DecisionCard>
        <div className="inbox-under">
          <button
            type="button"
            className="link sm"
            onClick={() => go({ screen: place, run: decision.run })}
            data-testid="open-run"
          >
            {place === "run" ? t.inbox.openRun : t.inbox.lookAtPlan}
          </button>
          <span className="xs t3">{t.inbox.nothingDoneText}</span>
        </div>
      </div>
    );
  },
  // Lists are read anew now and then: what is equal is the same.
  (a, b) =>
    a.isFocused === b.isFocused &&
    a.where === b.where &&
    a.place === b.place &&
    a.schema === b.schema &&
    (a.decision === b.decision || JSON.stringify(a.decision) === JSON.stringify(b.decision)),
);
