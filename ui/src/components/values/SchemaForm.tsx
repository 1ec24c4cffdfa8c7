// A form from a JSON Schema: own and small rather than a library's, because numbers must keep their digits and the
// one validator is the engine's. What it can't draw it offers as a JSON field, so every schema can be answered.
import { Minus, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { isObject, type Json, type JsonObject, objectOf, print, step } from "../../ipc/json";
import { t } from "../../text";
import { Button, FaultLine, IconButton, Segments } from "../controls/controls";
import { Select } from "../controls/Select";
import { JsonField, NumberField, TextField } from "./fields";
import { RowsField } from "./RowsField";
import { defaultOf, fieldKind, titleOf } from "./schema";

type FieldProps = {
  schema: JsonObject;
  name: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  pointer: string;
  faults: Map<string, string>;
  required: boolean;
  disabled?: boolean;
};

type FormProps = Omit<FieldProps, "name" | "pointer" | "required"> & { label: string };

export function SchemaForm({ label, schema, value, onChange, faults, disabled }: FormProps) {
  if (fieldKind(schema) === "object") {
    return (
      <div className="form" role="group" aria-label={label}>
        <Members
          schema={schema}
          name={label}
          value={value}
          onChange={onChange}
          pointer=""
          faults={faults}
          required
          disabled={disabled}
        />
      </div>
    );
  }
  return (
    <div className="form">
      <Field
        schema={schema}
        name={label}
        value={value}
        onChange={onChange}
        pointer=""
        faults={faults}
        required
        disabled={disabled}
      />
    </div>
  );
}

function Members(props: FieldProps) {
  const required = new Set(Array.isArray(props.schema.required) ? props.schema.required : []);
  const value = objectOf(props.value);
  const set = (name: string, next: Json | undefined) => {
    const copy = { ...value };
    if (next === undefined) delete copy[name];
    else copy[name] = next;
    props.onChange(copy);
  };
  return Object.entries(objectOf(props.schema.properties)).map(([name, inner]) => (
    <Field
      key={name}
      schema={objectOf(inner)}
      name={name}
      value={value[name]}
      onChange={(next) => set(name, next)}
      pointer={props.pointer + step(name)}
      faults={props.faults}
      required={required.has(name)}
      disabled={props.disabled}
    />
  ));
}

function Field(props: FieldProps) {
  const id = useId();
  const title = titleOf(props.schema, props.name);
  const fault = props.faults.get(props.pointer);
  const note = typeof props.schema.description === "string" ? props.schema.description : null;
  return (
    <div className="form-field" data-field={props.pointer}>
      <div className="form-label">
        <label htmlFor={id}>{title}</label>
        {props.required ? null : <span className="xs t3">{t.form.optional}</span>}
      </div>
      {note ? <p className="xs t3">{note}</p> : null}
      <Control {...props} id={id} title={title} invalid={fault !== undefined} />
      {fault ? <FaultLine text={fault} /> : null}
    </div>
  );
}

type ControlProps = FieldProps & { id: string; title: string; invalid: boolean };

function Control(props: ControlProps): ReactNode {
  const kind = fieldKind(props.schema);
  const shared = {
    id: props.id,
    label: props.title,
    invalid: props.invalid,
    disabled: props.disabled,
    testId: `form${props.pointer}`,
  };
  switch (kind) {
    case "text":
      return <TextField {...shared} value={props.value} onChange={props.onChange} />;
    case "number":
      return <NumberField {...shared} value={props.value} onChange={props.onChange} />;
    case "boolean":
      return <YesNo {...props} />;
    case "choice":
      return <Choice {...props} />;
    case "choices":
      return <Choices {...props} />;
    case "object":
      return (
        <fieldset className="form-group">
          <legend className="vh">{props.title}</legend>
          <Members {...props} />
        </fieldset>
      );
    case "rows":
      return <RowsField {...props} />;
    case "list":
      return <ListField {...props} />;
    case "json":
      return <JsonField {...shared} value={props.value} onChange={props.onChange} />;
  }
}

function YesNo({ title, value, onChange, pointer }: ControlProps) {
  return (
    <Segments
      label={title}
      testId={`form${pointer}`}
      choices={[
        { value: "true", label: t.form.yes },
        { value: "false", label: t.form.no },
      ]}
      value={value === true ? "true" : value === false ? "false" : null}
      onChange={(word) => onChange(word === "true")}
    />
  );
}

/** The choices' texts, as shown, and the values that they stand for. */
function choicesOf(schema: JsonObject): { text: string; value: Json }[] {
  const items = Array.isArray(schema.enum) ? schema.enum : [];
  return items.map((value) => ({ text: typeof value === "string" ? value : print(value), value }));
}

function Choice({ title, schema, value, onChange, pointer }: ControlProps) {
  const choices = choicesOf(schema);
  const now = value === undefined ? null : typeof value === "string" ? value : print(value);
  const pick = (text: string) => onChange(choices.find((c) => c.text === text)?.value);
  const isShort = choices.length <= 4 && choices.reduce((sum, c) => sum + c.text.length, 0) <= 34;
  const options = choices.map((c) => ({ value: c.text, label: c.text }));
  return isShort ? (
    <Segments label={title} choices={options} value={now} onChange={pick} testId={`form${pointer}`} />
  ) : (
    <Select
      label={title}
      options={options}
      value={now}
      onChange={pick}
      testId={`form${pointer}`}
      placeholder={t.form.choose}
    />
  );
}

function Choices({ title, schema, value, onChange, disabled }: ControlProps) {
  const picked = new Set((Array.isArray(value) ? value : []).map((v) => print(v)));
  const choices = choicesOf(objectOf(schema.items));
  const toggle = (choice: Json) => {
    const text = print(choice);
    if (picked.has(text)) picked.delete(text);
    else picked.add(text);
    onChange(choices.map((c) => c.value).filter((v) => picked.has(print(v))));
  };
  return (
    <div className="form-choices" role="group" aria-label={title}>
      {choices.map((choice) => (
        <label key={choice.text} className="check">
          <input
            type="checkbox"
            checked={picked.has(print(choice.value))}
            disabled={disabled}
            onChange={() => toggle(choice.value)}
          />
          {choice.text}
        </label>
      ))}
    </div>
  );
}

function ListField({ title, schema, value, onChange, disabled }: ControlProps) {
  const items = Array.isArray(value) ? value : [];
  const inner = objectOf(schema.items);
  const Item = fieldKind(inner) === "number" ? NumberField : TextField;
  const set = (ix: number, next: Json | undefined) =>
    onChange(items.map((item, at) => (at === ix ? (next ?? "") : item)));
  return (
    <div className="form-list">
      {items.map((item, ix) => (
        <div className="row" key={ix}>
          <Item label={`${title} ${ix + 1}`} value={item} onChange={(next) => set(ix, next)} disabled={disabled} />
          <IconButton
            label={t.form.removeItem(ix + 1)}
            icon={<Minus size={14} />}
            size="small"
            onClick={() => onChange(items.filter((_, at) => at !== ix))}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus size={13} />}
        disabled={disabled}
        onClick={() =>
          onChange([...items, defaultOf(inner) ?? (isObject(inner) && fieldKind(inner) === "number" ? null : "")])
        }
      >
        {t.form.addItem}
      </Button>
    </div>
  );
}
