// Reading a JSON Schema as a form: which field, which default, what is missing. A help for people; the engine judges.
import { at, isNumber, isObject, type Json, type JsonObject, objectOf, textOf } from "../../ipc/json";
import { t } from "../../text";

export type FieldKind = "text" | "number" | "boolean" | "choice" | "choices" | "object" | "rows" | "list" | "json";

export function fieldKind(schema: JsonObject): FieldKind {
  if (Array.isArray(schema.enum)) return "choice";
  const type = typeOf(schema);
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  if (type === "object" && isObject(schema.properties)) return "object";
  if (type === "array") return arrayKind(objectOf(schema.items));
  return "json";
}

function arrayKind(items: JsonObject): FieldKind {
  if (Array.isArray(items.enum)) return "choices";
  const kind = fieldKind(items);
  if (kind === "object") return "rows";
  return kind === "text" || kind === "number" ? "list" : "json";
}

/** The one type, null left out; "" where there are several or none. */
export function typeOf(schema: JsonObject): string {
  if (typeof schema.type === "string") return schema.type;
  if (!Array.isArray(schema.type)) return "";
  const types = schema.type.filter((type) => type !== "null");
  return types.length === 1 ? textOf(types[0]) : "";
}

export function titleOf(schema: JsonObject, name: string): string {
  if (typeof schema.title === "string" && schema.title !== "") return schema.title;
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a new form starts with: defaults at any depth. Undefined where the schema gives none. */
export function defaultOf(schema: JsonObject): Json | undefined {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (fieldKind(schema) !== "object") return undefined;
  const made: JsonObject = {};
  for (const [name, inner] of Object.entries(objectOf(schema.properties))) {
    const value = defaultOf(objectOf(inner));
    if (value !== undefined) made[name] = value;
  }
  return made;
}

/** What a person still has to give, by JSON Pointer. */
export function missingIn(schema: JsonObject, value: Json | undefined, pointer = ""): Map<string, string> {
  const found = new Map<string, string>();
  if (fieldKind(schema) !== "object") return found;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, inner] of Object.entries(objectOf(schema.properties))) {
    const field = objectOf(inner);
    const here = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const given = at(value, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    const fault = given === undefined ? (required.has(name) ? t.form.missing : null) : faultOf(field, given);
    if (fault) found.set(here, fault);
    for (const [deeper, text] of missingIn(field, given, here)) found.set(deeper, text);
  }
  return found;
}

function faultOf(schema: JsonObject, value: Json): string | null {
  const type = typeOf(schema);
  if (type === "integer" && !(isNumber(value) && /^-?\d+$/.test(value.toString()))) return t.form.wholeNumber;
  if (type === "number" && !isNumber(value)) return t.form.number;
  if (type === "string" && typeof value === "string") return lengthFault(schema, value);
  return isNumber(value) ? rangeFault(schema, Number(value.toString())) : null;
}

function lengthFault(schema: JsonObject, value: string): string | null {
  const least = isNumber(schema.minLength) ? Number(schema.minLength.toString()) : 0;
  const most = isNumber(schema.maxLength) ? Number(schema.maxLength.toString()) : Number.POSITIVE_INFINITY;
  if ([...value].length < least) return t.form.atLeast(least);
  return [...value].length > most ? t.form.atMost(most) : null;
}

function rangeFault(schema: JsonObject, value: number): string | null {
  const least = isNumber(schema.minimum) ? Number(schema.minimum.toString()) : Number.NEGATIVE_INFINITY;
  const most = isNumber(schema.maximum) ? Number(schema.maximum.toString()) : Number.POSITIVE_INFINITY;
  if (value < least) return t.form.notUnder(least);
  return value > most ? t.form.notOver(most) : null;
}

export const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
