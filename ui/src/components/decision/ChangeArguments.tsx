// Other arguments in the place of those of a call, before it is sent: by the tool's own form where it has one, else as JSON.
// The engine holds them against the tool and asks the gate about what they touch.
import { useState } from "react";
import { isObject, type Json, type JsonObject, objectOf, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";
import { FaultLine, Segments } from "../controls/controls";
import { CodeField } from "../values/CodeField";
import { SchemaForm } from "../values/SchemaForm";
import { fieldKind } from "../values/schema";

type Props = {
  /** The tool's schema as JSON text, where it is known. */
  schema: string | null;
  value: JsonObject;
  shown: JsonObject;
  onChange: (value: JsonObject) => void;
  disabled: boolean;
};

const NO_FAULTS = new Map<string, string>();

export function ChangeArguments({ schema, value, shown, onChange, disabled }: Props) {
  const form = objectOf(tryParse(schema));
  const hasForm = fieldKind(form) === "object";
  const [how, setHow] = useState<"form" | "json">(hasForm ? "form" : "json");
  const changed = changedFields(shown, value);
  return (
    <div className="change-arguments" data-testid="change-arguments">
      {hasForm ? (
        <Segments
          label={t.inbox.changeHow}
          choices={[
            { value: "form", label: t.inbox.asForm },
            { value: "json", label: t.inbox.asJson },
          ]}
          value={how}
          onChange={setHow}
          testId="change-how"
        />
      ) : null}
      {how === "form" ? (
        <SchemaForm
          label={t.inbox.arguments}
          schema={form}
          value={value}
          onChange={(next) => isObject(next) && onChange(next)}
          faults={NO_FAULTS}
          disabled={disabled}
        />
      ) : (
        <AsJson value={value} onChange={onChange} />
      )}
      <p className="sm t2" role="status" data-testid="changed-fields">
        {changed.length === 0 ? t.inbox.unchanged : t.inbox.changed(changed.map(visible).join(", "))}
      </p>
    </div>
  );
}

/** The fields that differ, whatever their order. */
export function changedFields(before: JsonObject, after: JsonObject): string[] {
  const text = (value: Json | undefined) => (value === undefined ? "" : print(value));
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => text(before[name]) !== text(after[name]));
}

function AsJson({ value, onChange }: { value: JsonObject; onChange: (value: JsonObject) => void }) {
  const [text, setText] = useState(() => print(value, 2));
  const isBad = !isObject(tryParse(text));
  const take = (next: string) => {
    setText(next);
    const read = tryParse(next);
    if (isObject(read)) onChange(read);
  };
  return (
    <>
      <CodeField
        label={t.inbox.arguments}
        language="json"
        value={text}
        onChange={take}
        invalid={isBad}
        testId="arguments-json"
      />
      {isBad ? <FaultLine text={t.inbox.notObject} /> : null}
    </>
  );
}
