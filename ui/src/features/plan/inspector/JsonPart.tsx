// One field of the task (or plan) edited as JSON: sent when it is valid, said what is wrong while it is not.
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button, FaultLine } from "../../../components/controls/controls";
import { CodeField } from "../../../components/values/CodeField";
import { type Json, parse, print } from "../../../ipc/json";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { Faults, Section } from "./parts";
import { useTyped } from "./useTyped";

type PartProps = { title: string; note?: string; field: string; value: Json | undefined; add?: string; initial?: Json };

export function JsonPart({ title, note, field, value, add, initial }: PartProps) {
  const { isLocked } = useTask();
  const set = useSetField();
  if (value === undefined && add !== undefined) {
    if (isLocked) return null;
    return (
      <Section
        title={title}
        action={
          <Button look="ghost" size="small" icon={<Plus size={13} />} onClick={() => void set(field, initial ?? null)}>
            {add}
          </Button>
        }
      >
        {null}
      </Section>
    );
  }
  return (
    <Section title={title} note={note}>
      <JsonText label={title} value={value} isLocked={isLocked} onSend={(next) => set(field, next)} field={field} />
      <Faults field={field} />
    </Section>
  );
}

type TextProps = {
  label: string;
  value: Json | undefined;
  isLocked: boolean;
  field?: string;
  testId?: string;
  onSend: (value: Json | undefined) => unknown;
};

/** An empty text removes the field. Half a JSON text is kept in the field and not sent. */
export function JsonText({ label, value, isLocked, field, testId, onSend }: TextProps) {
  const [fault, setFault] = useState<string | null>(null);
  const read = (text: string): Json | undefined | null => {
    if (text.trim() === "") return undefined;
    try {
      const parsed = parse(text);
      setFault(null);
      return parsed;
    } catch (thrown) {
      setFault(t.inspector.jsonFault(thrown instanceof Error ? `${thrown.message}.` : ""));
      return null;
    }
  };
  const typed = useTyped(value === undefined ? "" : print(value, 2), (text) => {
    const next = read(text);
    if (next !== null || text.trim() === "null") return onSend(next);
  });
  return (
    <div data-field={field}>
      <CodeField
        label={label}
        language="json"
        value={typed.text}
        onChange={typed.type}
        onBlur={typed.flush}
        readOnly={isLocked}
        invalid={fault !== null}
        testId={testId}
      />
      {fault ? <FaultLine text={fault} /> : null}
    </div>
  );
}
