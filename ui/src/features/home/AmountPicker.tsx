// A cap of money or of time for the goal: usual amounts at a click, any other typed. It judges no amount.
import type { ReactNode } from "react";
import { FaultLine } from "../../components/controls/controls";
import { Picker } from "../../components/controls/Picker";

type Props = {
  name: string;
  title: string;
  note: string;
  /** How the amount reads on the chip; null where there is none. */
  shown: string | null;
  none: string;
  icon: ReactNode;
  unit: string;
  value: string;
  usual: readonly string[];
  print: (value: string) => string;
  fault: string | null;
  onChange: (value: string) => void;
  testId: string;
};

export function AmountPicker(props: Props) {
  const { name, title, note, shown, none, icon, unit, value, usual, print, fault, onChange, testId } = props;
  return (
    <Picker
      title={title}
      note={note}
      icon={icon}
      invalid={fault !== null}
      testId={testId}
      chip={
        <>
          {name} <b className="num">{shown ?? none}</b>
        </>
      }
    >
      <div className="picker-usual" role="group" aria-label={title}>
        {["", ...usual].map((amount) => (
          <button
            key={amount}
            type="button"
            className="tag line"
            aria-pressed={value.trim() === amount}
            onClick={() => onChange(amount)}
          >
            {amount === "" ? none : print(amount)}
          </button>
        ))}
      </div>
      <div className="field">
        <input
          className="num"
          inputMode="decimal"
          aria-label={title}
          aria-invalid={fault !== null}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          data-testid={`${testId}-field`}
        />
        <span className="t3 sm">{unit}</span>
      </div>
      {fault ? <FaultLine text={fault} /> : null}
    </Picker>
  );
}
