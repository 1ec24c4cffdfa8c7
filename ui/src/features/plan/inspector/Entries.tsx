// A list of short texts, such as paths or hosts: one line each, an empty one at the end to go on writing.
import { X } from "lucide-react";
import { IconButton } from "../../../components/controls/controls";
import { t } from "../../../text";
import { useTyped } from "./useTyped";

type Props = {
  label: string;
  values: readonly string[];
  hint: string;
  isLocked: boolean;
  onSend: (values: string[]) => void;
  testId?: string;
};

export function Entries({ label, values, hint, isLocked, onSend, testId }: Props) {
  const set = (ix: number, text: string | null) => {
    const next = [...values];
    if (text === null || text === "") next.splice(ix, 1);
    else next[ix] = text;
    if (next.join("\n") !== values.join("\n")) onSend(next);
  };
  const lines = isLocked ? values : [...values, ""];
  return (
    <div className="entries" role="group" aria-label={label} data-testid={testId}>
      {lines.map((value, ix) => (
        // The line is known by its place: while it is written its text is no name for it.
        <div className="entry" key={ix}>
          <Entry
            label={`${label} ${ix + 1}`}
            value={value}
            hint={hint}
            isLocked={isLocked}
            onSend={(text) => set(ix, text.trim())}
          />
          {isLocked || ix >= values.length ? null : (
            <IconButton
              size="small"
              label={t.inspector.removeInput(value)}
              icon={<X size={13} />}
              onClick={() => set(ix, null)}
            />
          )}
        </div>
      ))}
    </div>
  );
}

type EntryProps = { label: string; value: string; hint: string; isLocked: boolean; onSend: (text: string) => void };

function Entry({ label, value, hint, isLocked, onSend }: EntryProps) {
  const typed = useTyped(value, onSend);
  return (
    <input
      className="field mono"
      dir="ltr"
      spellCheck={false}
      aria-label={label}
      placeholder={hint}
      readOnly={isLocked}
      value={typed.text}
      onChange={(event) => typed.type(event.target.value)}
      onBlur={typed.flush}
      onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && typed.flush()}
    />
  );
}
