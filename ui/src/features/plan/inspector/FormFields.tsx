// The form of a question: its JSON Schema, and below it the form as the person will see it.
import { useState } from "react";
import { SchemaForm } from "../../../components/values/SchemaForm";
import { defaultOf } from "../../../components/values/schema";
import { isObject, type Json, objectOf } from "../../../ipc/json";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { Faults, Section } from "./parts";
import { SchemaPart } from "./SchemaPart";

const NO_FAULTS = new Map<string, string>();

export function FormFields() {
  const { document, isLocked } = useTask();
  const set = useSetField();
  return (
    <>
      <Section title={t.inspector.form} note={t.inspector.formNote} field="/form">
        <SchemaPart
          label={t.inspector.form}
          value={document.form}
          isLocked={isLocked}
          onChange={(next) => set("/form", next)}
          testId="form-fields"
        />
        <Faults field="/form" />
      </Section>
      {isObject(document.form) ? <Preview schema={document.form} /> : null}
    </>
  );
}

function Preview({ schema }: { schema: Record<string, Json> }) {
  const [value, setValue] = useState<Json | undefined>(() => defaultOf(schema));
  return (
    <Section title={t.inspector.formPreview}>
      <div className="form-preview">
        <SchemaForm
          label={t.inspector.form}
          schema={objectOf(schema)}
          value={value}
          onChange={setValue}
          faults={NO_FAULTS}
        />
      </div>
    </Section>
  );
}
