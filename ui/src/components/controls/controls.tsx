// Buttons, tooltips, switches, segments, tabs: the small controls, each reachable by key and named for a screen reader.

import { Switch } from "@base-ui/react/switch";
import { Tooltip } from "@base-ui/react/tooltip";
import { CircleAlert, TriangleAlert } from "lucide-react";
import type { ButtonHTMLAttributes, KeyboardEvent, ReactElement, ReactNode } from "react";
import { useRef } from "react";

type Look = "plain" | "primary" | "ghost" | "danger";
type Size = "small" | "medium" | "large";

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  size?: Size;
  icon?: ReactNode;
  /** The key printed on the button. */
  hint?: string;
};

export function Button({
  look = "plain",
  size = "medium",
  icon,
  hint,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  const square = children === undefined || children === null ? " square" : "";
  return (
    <button type="button" className={`btn ${look} ${size}${square} ${className}`} {...rest}>
      {icon}
      {children}
      {hint ? <kbd>{hint}</kbd> : null}
    </button>
  );
}

/** A square button that shows only an icon; its name is its tooltip too. */
export function IconButton({
  label,
  hint,
  icon,
  look = "ghost",
  size = "medium",
  ...rest
}: ButtonProps & { label: string }) {
  return (
    <Hint text={label} keys={hint}>
      <Button look={look} size={size} icon={icon} aria-label={label} {...rest} />
    </Hint>
  );
}

/** A tooltip; the element inside must have its own name. */
export function Hint({ text, keys, children }: { text: string; keys?: string | undefined; children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className="tooltip">
            {text}
            {keys ? <kbd>{keys}</kbd> : null}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

type ToggleProps = {
  checked: boolean;
  onChange: (on: boolean) => void;
  label: string;
  disabled?: boolean;
  testId?: string;
};

export function Toggle({ checked, onChange, label, disabled, testId }: ToggleProps) {
  return (
    <Switch.Root
      className="switch"
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      aria-label={label}
      data-testid={testId}
    />
  );
}

export type Choice<T extends string> = { value: T; label: string; icon?: ReactNode };

type SegmentProps<T extends string> = {
  label: string;
  choices: readonly Choice<T>[];
  value: T | null;
  onChange: (value: T) => void;
  testId?: string;
};

/** One of a few, side by side. Arrow keys move, as in every radio group. */
export function Segments<T extends string>({ label, choices, value, onChange, testId }: SegmentProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => moveFocus(event, ref.current, (ix) => choose(choices[ix], onChange));
  const chosen = choices.some((c) => c.value === value);
  return (
    <div className="seg" role="radiogroup" aria-label={label} ref={ref} onKeyDown={onKeyDown} data-testid={testId}>
      {choices.map((choice, ix) => (
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={choice.value === value}
          tabIndex={choice.value === value || (!chosen && ix === 0) ? 0 : -1}
          data-value={choice.value}
          onClick={() => onChange(choice.value)}
        >
          {choice.icon}
          {choice.label}
        </button>
      ))}
    </div>
  );
}

type TabsProps<T extends string> = {
  label: string;
  tabs: readonly Choice<T>[];
  value: T;
  onChange: (value: T) => void;
  /** Id of the panel that the tabs rule. */
  panel: string;
  children?: ReactNode;
};

export function Tabs<T extends string>({ label, tabs, value, onChange, panel, children }: TabsProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => moveFocus(event, ref.current, (ix) => choose(tabs[ix], onChange));
  return (
    <div className="tabs">
      <div className="row tablist" role="tablist" aria-label={label} ref={ref} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${panel}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={panel}
            tabIndex={tab.value === value ? 0 : -1}
            data-testid={`tab-${tab.value}`}
            onClick={() => onChange(tab.value)}
          >
            {tab.icon}
            {tab.label}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}

function choose<T extends string>(choice: Choice<T> | undefined, onChange: (value: T) => void): void {
  if (choice) onChange(choice.value);
}

function moveFocus(event: KeyboardEvent, root: HTMLElement | null, choose: (ix: number) => void): void {
  const delta = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (delta === undefined || !root) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...root.querySelectorAll<HTMLButtonElement>("button")];
  const here = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = (here + delta + buttons.length) % buttons.length;
  buttons[next]?.focus();
  choose(next);
}

/** What is wrong at a field, beside its icon. */
export function FaultLine({
  text,
  severity = "error",
  id,
}: {
  text: string;
  severity?: "error" | "warning";
  id?: string;
}) {
  const Icon = severity === "error" ? CircleAlert : TriangleAlert;
  return (
    <div className={`fault ${severity}`} id={id} role={severity === "error" ? "alert" : undefined}>
      <Icon className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span>{text}</span>
    </div>
  );
}
