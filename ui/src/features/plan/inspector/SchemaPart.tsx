// A schema in the inspector: as fields where they can say all of it, else, or where a person wants it, as JSON.
import { Braces, List } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../../components/controls/controls";
import { type Json, type JsonObject, objectOf } from "../../../ipc/json";
import { t } from "../../../text";
import { JsonText } from "./JsonPart";
import { SchemaFields, TypeField } from "./SchemaFields";
import { fieldTypeOf, isPlain } from "./schemaEdit";

type Props = {
  label: string;
  value: Json | undefined;
  isLocked: boolean;
  onChange: (value: Json | undefined) => void;
  /** The whole may be something else than an object. */
  anyRoot?: boolean;
  hasRequired?: boolean;
  testId?: string;
};

export function SchemaPart({ label, value, isLocked, onChange, anyRoot = false, hasRequired, testId }: Props) {
  const [asJson, setJson] = useState(false);
  const canFields = isPlain(value);
  const isJson = asJson || !canFields;
  return (
    <div className="schema-part">
      {canFields ? (
        <IconButton
          size="small"
          className="schema-switch"
          label={isJson ? t.inspector.schema.asFields : t.inspector.schema.asJson}
          icon={isJson ? <List size={13} /> : <Braces size={13} />}
          onClick={() => setJson(!asJson)}
          data-testid={testId ? `${testId}-json` : undefined}
        />
      ) : null}
      {isJson ? (
        <JsonText label={label} value={value} isLocked={isLocked} onSend={onChange} />
      ) : (
        <Root
          label={label}
          schema={objectOf(value)}
          isLocked={isLocked}
          onChange={onChange}
          anyRoot={anyRoot}
          hasRequired={hasRequired}
          testId={testId}
        />
      )}
    </div>
  );
}

type RootProps = Omit<Props, "value" | "onChange"> & { schema: JsonObject; onChange: (value: Json) => void };

function Root({ label, schema, isLocked, onChange, anyRoot, hasRequired, testId }: RootProps) {
  const type = fieldTypeOf(schema);
  const items = objectOf(schema.items);
  const shared = { label, isLocked, hasRequired, testId };
  return (
    <>
      {anyRoot ? (
        <div className="schema-line">
          <span className="xs t3 grow">{t.inspector.schema.whole}</span>
          <TypeField label={t.inspector.schema.typeOf(label)} schema={schema} isLocked={isLocked} onChange={onChange} />
        </div>
      ) : null}
      {type === "array" ? (
        <div className="schema-line">
          <span className="xs t3 grow">{t.inspector.schema.eachItem}</span>
          <TypeField
            label={t.inspector.schema.eachItem}
            schema={items}
            isLocked={isLocked}
            onChange={(next) => onChange({ ...schema, items: next })}
          />
        </div>
      ) : null}
      {type === "object" || !anyRoot ? <SchemaFields {...shared} schema={schema} onChange={onChange} /> : null}
      {type === "array" && fieldTypeOf(items) === "object" ? (
        <SchemaFields {...shared} schema={items} onChange={(next) => onChange({ ...schema, items: next })} />
      ) : null}
    </>
  );
}
