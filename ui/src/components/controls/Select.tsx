// A drop-down of choices on Base UI's Select, in the app's look.
import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

export type Option = {
  value: string;
  label: string;
  note?: string;
  /** A short mark, shown in the list and beside the chosen label. */
  tag?: string;
  icon?: ReactNode;
  disabled?: boolean;
};

type Props = {
  label: string;
  value: string | null;
  options: readonly Option[];
  onChange: (value: string) => void;
  placeholder?: string;
  disabled?: boolean;
  invalid?: boolean;
  mono?: boolean;
  className?: string;
  /** What the choice is for, over it in small letters. */
  above?: string;
  /** What choosing does, over the list. */
  group?: string;
  testId?: string;
};

export function Select({
  label,
  value,
  options,
  onChange,
  placeholder,
  disabled,
  invalid,
  mono,
  className,
  above,
  group,
  testId,
}: Props) {
  const chosen = options.find((o) => o.value === value);
  const items = options.map((option) => <Item key={option.value} option={option} />);
  return (
    <Base.Root value={value} onValueChange={(v) => v !== null && onChange(String(v))} disabled={disabled} modal={false}>
      <Base.Trigger
        className={className ?? `field${mono ? " mono" : ""}${invalid ? " invalid" : ""}`}
        aria-label={label}
        data-testid={testId}
      >
        {above ? <span className="above">{above}</span> : null}
        {chosen?.icon}
        <span className={`el${chosen ? "" : " t3"}`}>{chosen?.label ?? value ?? placeholder ?? ""}</span>
        {chosen?.tag ? <span className="tag">{chosen.tag}</span> : null}
        <ChevronDown className="icon chev" size={14} strokeWidth={1.75} aria-hidden="true" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="choice-list" sideOffset={4} align="start" alignItemWithTrigger={false}>
          <Base.Popup className="popup" data-testid={testId ? `${testId}-list` : undefined}>
            {group ? (
              <Base.Group>
                <Base.GroupLabel className="group-label">{group}</Base.GroupLabel>
                {items}
              </Base.Group>
            ) : (
              items
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Item({ option }: { option: Option }) {
  return (
    <Base.Item className="item" value={option.value} disabled={option.disabled} data-value={option.value}>
      {option.icon}
      <Base.ItemText className="el">{option.label}</Base.ItemText>
      {option.tag ? <span className="tag">{option.tag}</span> : null}
      {option.note ? <span className="note">{option.note}</span> : null}
      <Base.ItemIndicator className="tick">
        <Check size={13} strokeWidth={2} aria-hidden="true" />
      </Base.ItemIndicator>
    </Base.Item>
  );
}
