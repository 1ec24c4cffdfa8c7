// A literal value that is no text: yes or no, a number, or any JSON; what is not set says so and can be set.
import { Button, Segments } from "../../../components/controls/controls";
import { NUMBER, typeOf } from "../../../components/values/schema";
import { isNumber, type Json, number, parse } from "../../../ipc/json";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import type { InputSpec } from "./Inputs";
import { JsonText } from "./JsonPart";
import { TextLine } from "./parts";

export function LiteralField({ spec, field }: { spec: InputSpec; field: string }) {
  const { isLocked } = useTask();
  const set = useSetField();
  const type = spec.schema ? typeOf(spec.schema) : "";
  const testId = `value-${spec.name}`;
  const { value } = spec;
  if (type === "boolean" && (value === undefined || typeof value === "boolean")) {
    return (
      <Segments
        label={spec.name}
        testId={testId}
        choices={[
          { value: "true", label: t.form.yes },
          { value: "false", label: t.form.no },
        ]}
        value={value === undefined ? null : String(value)}
        onChange={(word) => void set(field, word === "true")}
      />
    );
  }
  if ((type === "number" || type === "integer") && (value === undefined || isNumber(value))) {
    const send = (text: string) =>
      set(field, text.trim() === "" ? undefined : NUMBER.test(text.trim()) ? number(text.trim()) : text.trim());
    return (
      <TextLine
        label={spec.name}
        field={field}
        value={value === undefined ? "" : value.toString()}
        hint={t.inspector.unset}
        testId={testId}
        onSend={send}
      />
    );
  }
  if (value === undefined) {
    return (
      <div className="row">
        <span className="sm t3 grow">{t.inspector.unset}</span>
        <Button
          size="small"
          disabled={isLocked}
          onClick={() => void set(field, emptyOf(type))}
          data-testid={`set-${spec.name}`}
        >
          {t.inspector.set}
        </Button>
      </div>
    );
  }
  return (
    <JsonText label={spec.name} value={value} isLocked={isLocked} testId={testId} onSend={(next) => set(field, next)} />
  );
}

function emptyOf(type: string): Json {
  if (type === "object") return {};
  return type === "array" ? [] : parse("null");
}
