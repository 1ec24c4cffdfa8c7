// Changing a JSON Schema field by field: names, types, what is required, in the order in which they stand. Pure.
import { typeOf } from "../../../components/values/schema";
import { isObject, type Json, type JsonObject, objectOf, textOf } from "../../../ipc/json";

export type FieldType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "choice" | "any";
export const FIELD_TYPES: readonly FieldType[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "choice",
  "object",
  "array",
  "any",
];

/** Words that the fields can show and write back; a schema with others is edited as JSON. */
const KNOWN = new Set([
  "type",
  "title",
  "description",
  "properties",
  "required",
  "items",
  "enum",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "additionalProperties",
  "readOnly",
  "format",
]);

export function isPlain(schema: Json | undefined, depth = 0): boolean {
  if (!isObject(schema) || depth > 6) return false;
  if (!Object.keys(schema).every((key) => KNOWN.has(key)) || Array.isArray(schema.type)) return false;
  const inner = Object.values(objectOf(schema.properties));
  return inner.every((x) => isPlain(x, depth + 1)) && (schema.items === undefined || isPlain(schema.items, depth + 1));
}

export function fieldTypeOf(schema: JsonObject): FieldType {
  if (Array.isArray(schema.enum)) return "choice";
  const type = typeOf(schema);
  return FIELD_TYPES.includes(type as FieldType) ? (type as FieldType) : "any";
}

/** The schema with another type; what says something in every type stays. */
export function withType(schema: JsonObject, type: FieldType): JsonObject {
  const { title, description } = schema;
  const kept: JsonObject = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  switch (type) {
    case "any":
      return kept;
    case "choice":
      return { type: "string", enum: Array.isArray(schema.enum) ? schema.enum : [], ...kept };
    case "object":
      return { type, properties: objectOf(schema.properties), ...kept };
    case "array":
      return { type, items: isObject(schema.items) ? schema.items : { type: "string" }, ...kept };
    default:
      return { type, ...kept };
  }
}

export type Property = { name: string; schema: JsonObject; isRequired: boolean };

export function propertiesOf(schema: JsonObject): Property[] {
  const required = new Set(requiredOf(schema));
  return Object.entries(objectOf(schema.properties)).map(([name, value]) => ({
    name,
    schema: objectOf(value),
    isRequired: required.has(name),
  }));
}

function requiredOf(schema: JsonObject): string[] {
  return Array.isArray(schema.required) ? schema.required.map(textOf) : [];
}

/** The object's schema with these properties, in this order. */
export function withProperties(schema: JsonObject, properties: readonly Property[]): JsonObject {
  const required = properties.filter((p) => p.isRequired).map((p) => p.name);
  const copy: JsonObject = {
    ...schema,
    type: "object",
    properties: Object.fromEntries(properties.map((p) => [p.name, p.schema])),
  };
  if (required.length > 0) copy.required = required;
  else delete copy.required;
  return copy;
}

export function freeProperty(properties: readonly Property[], base: string): string {
  const taken = new Set(properties.map((p) => p.name));
  if (!taken.has(base)) return base;
  let n = 2;
  while (taken.has(`${base}_${n}`)) n++;
  return `${base}_${n}`;
}
