// A chip that opens a small panel on Base UI's Popover: for choices that need more than a list. It owns no value.
import { Popover } from "@base-ui/react/popover";
import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  title: string;
  note?: string;
  /** What the chip says. */
  chip: ReactNode;
  icon: ReactNode;
  invalid?: boolean;
  wide?: boolean;
  children: ReactNode;
  testId?: string;
};

export function Picker({ title, note, chip, icon, invalid, wide, children, testId }: Props) {
  return (
    <Popover.Root>
      <Popover.Trigger className={`goal-chip${invalid ? " invalid" : ""}`} data-testid={testId}>
        {icon}
        {chip}
        <ChevronDown className="icon t3" size={13} strokeWidth={1.75} aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="picker-place">
          <Popover.Popup
            className={`popup picker${wide ? " wide" : ""}`}
            data-testid={testId ? `${testId}-panel` : undefined}
          >
            <Popover.Title className="picker-title">{title}</Popover.Title>
            {note ? <Popover.Description className="sm t3">{note}</Popover.Description> : null}
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
