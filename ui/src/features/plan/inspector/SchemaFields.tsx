// A JSON Schema as a list of fields: name, type, whether it is required; opened, what else is said of it. Fields in fields.
import { ChevronDown, ChevronRight, Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "../../../components/controls/controls";
import { Select } from "../../../components/controls/Select";
import { type JsonObject, objectOf } from "../../../ipc/json";
import { t } from "../../../text";
import { SchemaMore } from "./SchemaMore";
import {
  FIELD_TYPES,
  type FieldType,
  fieldTypeOf,
  freeProperty,
  type Property,
  propertiesOf,
  withProperties,
  withType,
} from "./schemaEdit";

type Props = {
  label: string;
  schema: JsonObject;
  isLocked: boolean;
  onChange: (schema: JsonObject) => void;
  /** Parameters are required by having no default, so there is nothing to tick. */
  hasRequired?: boolean;
  depth?: number;
  testId?: string;
};

export function SchemaFields({
  label,
  schema,
  isLocked,
  onChange,
  hasRequired = true,
  depth = 0,
  testId = "schema",
}: Props) {
  const properties = propertiesOf(schema);
  const [opened, setOpened] = useState<string | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const put = (ix: number, next: Property | null) =>
    onChange(
      withProperties(
        schema,
        properties.flatMap((p, at) => (at === ix ? (next ? [next] : []) : [p])),
      ),
    );
  const add = () => {
    const name = freeProperty(properties, t.inspector.schema.newField);
    setAdded(name);
    onChange(withProperties(schema, [...properties, { name, schema: { type: "string" }, isRequired: false }]));
  };
  const w = t.inspector.schema;
  return (
    <div className={`schema-fields${depth > 0 ? " inner" : ""}`} role="group" aria-label={label} data-testid={testId}>
      {properties.length === 0 ? <p className="sm t3">{w.none}</p> : null}
      {properties.map((property, ix) => (
        <div className="schema-field" key={ix}>
          <div className="schema-line">
            <IconButton
              size="small"
              label={opened === property.name ? w.less(property.name) : w.more(property.name)}
              aria-expanded={opened === property.name}
              icon={opened === property.name ? <ChevronDown size={13} /> : <ChevronRight size={13} />}
              onClick={() => setOpened(opened === property.name ? null : property.name)}
            />
            <NameField
              name={property.name}
              start={property.name === added}
              isLocked={isLocked}
              taken={properties.map((p) => p.name)}
              onSend={(name) => {
                setAdded(null);
                put(ix, { ...property, name });
              }}
            />
            <TypeField
              label={w.typeOf(property.name)}
              schema={property.schema}
              isLocked={isLocked}
              onChange={(next) => put(ix, { ...property, schema: next })}
            />
            {hasRequired ? (
              <input
                type="checkbox"
                className="schema-required"
                title={w.required}
                aria-label={w.requiredOf(property.name)}
                checked={property.isRequired}
                disabled={isLocked}
                onChange={(event) => put(ix, { ...property, isRequired: event.target.checked })}
              />
            ) : null}
            {isLocked ? null : (
              <IconButton
                size="small"
                label={t.inspector.removeInput(property.name)}
                icon={<X size={13} />}
                onClick={() => put(ix, null)}
              />
            )}
          </div>
          {opened === property.name ? (
            <SchemaMore
              name={property.name}
              schema={property.schema}
              isLocked={isLocked}
              hasDefault={!hasRequired}
              onChange={(next) => put(ix, { ...property, schema: next })}
            />
          ) : null}
          <Inside
            name={property.name}
            schema={property.schema}
            isLocked={isLocked}
            depth={depth}
            onChange={(next) => put(ix, { ...property, schema: next })}
          />
        </div>
      ))}
      {isLocked ? null : (
        <Button look="ghost" size="small" icon={<Plus size={13} />} onClick={add} data-testid={`${testId}-add`}>
          {w.add}
        </Button>
      )}
    </div>
  );
}

type InsideProps = {
  name: string;
  schema: JsonObject;
  isLocked: boolean;
  depth: number;
  onChange: (schema: JsonObject) => void;
};

/** What an object holds, and what a list holds where that is an object. */
function Inside({ name, schema, isLocked, depth, onChange }: InsideProps) {
  const type = fieldTypeOf(schema);
  if (type === "object") {
    return (
      <SchemaFields
        label={name}
        schema={schema}
        isLocked={isLocked}
        depth={depth + 1}
        onChange={onChange}
        testId={`schema-${name}`}
      />
    );
  }
  if (type !== "array") return null;
  const items = objectOf(schema.items);
  const set = (next: JsonObject) => onChange({ ...schema, items: next });
  return (
    <div className="schema-fields inner">
      <div className="schema-line">
        <span className="xs t3 grow">{t.inspector.schema.each(name)}</span>
        <TypeField label={t.inspector.schema.typeOf(name)} schema={items} isLocked={isLocked} onChange={set} />
      </div>
      {fieldTypeOf(items) === "object" ? (
        <SchemaFields
          label={name}
          schema={items}
          isLocked={isLocked}
          depth={depth + 1}
          onChange={set}
          testId={`schema-${name}`}
        />
      ) : null}
    </div>
  );
}

type TypeProps = { label: string; schema: JsonObject; isLocked: boolean; onChange: (schema: JsonObject) => void };

export function TypeField({ label, schema, isLocked, onChange }: TypeProps) {
  return (
    <Select
      className="source-kind"
      label={label}
      value={fieldTypeOf(schema)}
      disabled={isLocked}
      options={FIELD_TYPES.map((value) => ({ value, label: t.inspector.schema.types[value] }))}
      onChange={(type) => onChange(withType(schema, type as FieldType))}
    />
  );
}

type NameProps = {
  name: string;
  start: boolean;
  isLocked: boolean;
  taken: readonly string[];
  onSend: (name: string) => void;
};

function NameField({ name, start, isLocked, taken, onSend }: NameProps) {
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const send = () => {
    const to = text.trim();
    if (to === "" || to === name || taken.includes(to)) setText(name);
    else onSend(to);
  };
  return (
    <input
      className="input-name mono grow"
      aria-label={t.inspector.inputName}
      // biome-ignore lint/a11y/noAutofocus: the person has just added this field
      autoFocus={start}
      readOnly={isLocked}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => start && event.target.select()}
      onBlur={send}
      onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && event.currentTarget.blur()}
    />
  );
}
