// What else a schema says of one field: title, a word on it, its choices, its bounds, what stands there at first.
import { NUMBER } from "../../../components/values/schema";
import { isNumber, type Json, type JsonObject, number, print, textOf, tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { fieldTypeOf } from "./schemaEdit";
import { useTyped } from "./useTyped";

type Props = {
  name: string;
  schema: JsonObject;
  isLocked: boolean;
  hasDefault: boolean;
  onChange: (schema: JsonObject) => void;
};

export function SchemaMore({ name, schema, isLocked, hasDefault, onChange }: Props) {
  const type = fieldTypeOf(schema);
  const w = t.inspector.schema;
  const set = (key: string, value: Json | undefined) => {
    const copy = { ...schema };
    if (value === undefined) delete copy[key];
    else copy[key] = value;
    onChange(copy);
  };
  const text = (key: string, label: string, hint = "") => (
    <Line
      label={`${name}: ${label}`}
      word={label}
      hint={hint}
      isLocked={isLocked}
      value={textOf(schema[key])}
      onSend={(v) => set(key, v === "" ? undefined : v)}
    />
  );
  const bound = (key: string, label: string) => (
    <Line
      label={`${name}: ${label}`}
      word={label}
      hint={t.inspector.unset}
      isLocked={isLocked}
      value={isNumber(schema[key]) ? String(schema[key]) : ""}
      onSend={(v) => set(key, NUMBER.test(v) ? number(v) : undefined)}
    />
  );
  return (
    <div className="schema-more">
      {text("title", w.title)}
      {text("description", w.description)}
      {type === "choice" ? <Choices name={name} schema={schema} isLocked={isLocked} onChange={onChange} /> : null}
      {type === "number" || type === "integer" ? (
        <>
          {bound("minimum", w.least)}
          {bound("maximum", w.most)}
        </>
      ) : null}
      {type === "string" ? bound("maxLength", w.longest) : null}
      {hasDefault ? (
        <Line
          label={`${name}: ${w.default}`}
          word={w.default}
          hint={w.defaultHint}
          isLocked={isLocked}
          value={shown(schema.default)}
          onSend={(v) => set("default", v === "" ? undefined : readValue(v, type))}
        />
      ) : null}
    </div>
  );
}

function shown(value: Json | undefined): string {
  return value === undefined ? "" : typeof value === "string" ? value : print(value);
}

/** Text stays text; else what it reads as, or the text, so that the engine says what is wrong with it. */
export function readValue(text: string, type: string): Json {
  if (type === "string" || type === "choice") return text;
  return tryParse(text) ?? text;
}

function Choices({ name, schema, isLocked, onChange }: Omit<Props, "hasDefault">) {
  const choices = Array.isArray(schema.enum) ? schema.enum.map(shown) : [];
  return (
    <Line
      label={`${name}: ${t.inspector.schema.choices}`}
      word={t.inspector.schema.choices}
      hint={t.inspector.schema.choicesHint}
      isLocked={isLocked}
      value={choices.join(", ")}
      onSend={(v) =>
        onChange({
          ...schema,
          enum: v
            .split(",")
            .map((c) => c.trim())
            .filter(Boolean),
        })
      }
    />
  );
}

type LineProps = {
  label: string;
  word: string;
  hint: string;
  value: string;
  isLocked: boolean;
  onSend: (text: string) => void;
};

function Line({ label, word, hint, value, isLocked, onSend }: LineProps) {
  const typed = useTyped(value, (text) => onSend(text.trim()));
  return (
    <>
      <span className="xs t3">{word}</span>
      <input
        className="field"
        aria-label={label}
        placeholder={hint}
        readOnly={isLocked}
        value={typed.text}
        dir="auto"
        onChange={(event) => typed.type(event.target.value)}
        onBlur={typed.flush}
        onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && typed.flush()}
      />
    </>
  );
}
