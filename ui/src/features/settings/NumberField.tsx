// A whole number that is kept when the field is left or Enter is pressed; what is none says so and changes nothing.
import { useEffect, useId, useState } from "react";
import { FaultLine } from "../../components/controls/controls";
import { t } from "../../text";

type Props = {
  label: string;
  value: number;
  /** Null, or why it was not kept. */
  onKeep: (value: number) => Promise<string | null>;
  testId: string;
};

const MOST = 10_000;

export function NumberField({ label, value, onKeep, testId }: Props) {
  const [text, setText] = useState(String(value));
  const [fault, setFault] = useState<string | null>(null);
  const id = useId();
  // What was kept elsewhere meanwhile is what the field says.
  useEffect(() => setText(String(value)), [value]);
  const keep = async () => {
    const typed = text.trim();
    const wanted = /^\d{1,5}$/.test(typed) ? Number(typed) : 0;
    if (wanted < 1 || wanted > MOST) return setFault(t.storage.wrong);
    setFault(wanted === value ? null : await onKeep(wanted));
  };
  return (
    <div className="number-field">
      <input
        className={`field num${fault ? " invalid" : ""}`}
        inputMode="numeric"
        aria-label={label}
        aria-invalid={fault !== null}
        aria-describedby={fault ? id : undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => void keep()}
        onKeyDown={(event) => {
          if (event.key === "Enter") void keep();
        }}
        data-testid={testId}
      />
      {fault ? <FaultLine text={fault} id={id} /> : null}
    </div>
  );
}
