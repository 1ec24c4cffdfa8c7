// What new goals begin with: how much may be spent, and how long it may take. Each goal can be given others.
import { useEffect, useId, useState } from "react";
import { FaultLine } from "../../components/controls/controls";
import { isMinutes, isMoney } from "../../state/goal";
import { setGoalCaps, useSettings } from "../../state/settings";
import { t } from "../../text";
import { Group, Row } from "./rows";

export function GoalCaps() {
  const goalCap = useSettings((s) => s.goalCap);
  const goalMinutes = useSettings((s) => s.goalMinutes);
  return (
    <Group title={t.storage.goalCaps} note={t.storage.goalCapsNote} narrow testId="goal-caps">
      <Row title={t.storage.goalCap} note={t.composer.capNote}>
        <CapField
          label={t.storage.goalCap}
          unit={t.composer.unit.usd}
          value={goalCap}
          none={t.composer.capNone}
          isRight={isMoney}
          fault={t.composer.capWrong}
          onKeep={(cap) => setGoalCaps({ goalCap: cap, goalMinutes })}
          testId="default-cap"
        />
      </Row>
      <Row title={t.storage.goalTime} note={t.composer.timeNote}>
        <CapField
          label={t.storage.goalTime}
          unit={t.composer.unit.minutes}
          value={goalMinutes}
          none={t.composer.timeNone}
          isRight={isMinutes}
          fault={t.composer.timeWrong}
          onKeep={(minutes) => setGoalCaps({ goalCap, goalMinutes: minutes })}
          testId="default-time"
        />
      </Row>
    </Group>
  );
}

type Props = {
  label: string;
  unit: string;
  value: string;
  none: string;
  isRight: (text: string) => boolean;
  fault: string;
  onKeep: (value: string) => void;
  testId: string;
};

/** Kept when it is left or Enter is pressed; empty is none. */
function CapField({ label, unit, value, none, isRight, fault, onKeep, testId }: Props) {
  const [text, setText] = useState(value);
  const id = useId();
  useEffect(() => setText(value), [value]);
  const right = isRight(text);
  const keep = () => {
    if (right && text.trim() !== value) onKeep(text.trim());
  };
  return (
    <div className="number-field">
      <span className={`field${right ? "" : " invalid"}`}>
        <input
          className="num"
          inputMode="decimal"
          aria-label={label}
          aria-invalid={!right}
          aria-describedby={right ? undefined : id}
          placeholder={none}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={keep}
          onKeyDown={(event) => {
            if (event.key === "Enter") keep();
          }}
          data-testid={testId}
        />
        <span className="t3 sm">{unit}</span>
      </span>
      {right ? null : <FaultLine text={fault} id={id} />}
    </div>
  );
}
