// What a task gives, as a JSON Schema: its own `output_schema`, else what its kind says. A help for picking; pure.
import { typeOf } from "../../../components/values/schema";
import type { ToolView } from "../../../ipc/bindings";
import {
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  print,
  step,
  textOf,
  tryParse,
} from "../../../ipc/json";
import { dependenciesOf, tasksOf } from "./reads";

/** `{}` where nothing is known. */
export function outputSchema(task: JsonObject, tools: readonly ToolView[]): JsonObject {
  if (isObject(task.output_schema)) return task.output_schema;
  switch (textOf(task.task_type)) {
    case "tool":
      return objectOf(tryParse(tools.find((x) => x.name === task.tool)?.result));
    case "human":
      return objectOf(task.form);
    case "map":
      return { type: "array", items: outputSchema(objectOf(task.task), tools) };
    case "subplan":
      return planOutput(objectOf(task.plan), tools);
    default:
      return {};
  }
}

function planOutput(plan: JsonObject, tools: readonly ToolView[]): JsonObject {
  if (plan.synthesis !== undefined) return { type: "string" };
  const tasks = tasksOf(plan);
  const followed = new Set(tasks.flatMap(dependenciesOf));
  const last = tasks.filter((task) => !followed.has(textOf(task.id)));
  return {
    type: "object",
    properties: Object.fromEntries(last.map((task) => [textOf(task.id), outputSchema(task, tools)])),
  };
}

/** `value` is what stood there in the last run; undefined where that is not known. */
export type Place = {
  pointer: string;
  name: string;
  type: string;
  depth: number;
  schema: JsonObject;
  value: Json | undefined;
};

const MOST = 120;

/** The places inside a value of this schema, the whole of it first. A list's items are reached through their first. */
export function placesIn(schema: JsonObject, deepest = 4, real?: Json): Place[] {
  const found: Place[] = [];
  const add = (inner: JsonObject, value: Json | undefined, pointer: string, name: string, depth: number) => {
    if (found.length >= MOST) return;
    found.push({ pointer, name, type: typeText(inner) || typeOfValue(value), depth, schema: inner, value });
    if (depth >= deepest) return;
    const [known, there] = [objectOf(inner.properties), isObject(value) ? value : {}];
    for (const key of new Set([...Object.keys(known), ...Object.keys(there)]))
      add(objectOf(known[key]), there[key], pointer + step(key), key, depth + 1);
    const first = Array.isArray(value) ? value[0] : undefined;
    if ((isObject(inner.items) && depth > 0) || first !== undefined)
      add(objectOf(inner.items), first, `${pointer}/0`, "0", depth + 1);
  };
  add(schema, real, "", "", 0);
  return found;
}

function typeOfValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return "array";
  return isNumber(value) ? "number" : typeof value;
}

const LONGEST = 28;

/** A value in a few letters, for a list. */
export function shortValue(value: Json | undefined): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return `[${value.length}]`;
  if (isObject(value)) return `{${Object.keys(value).length}}`;
  const text = print(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** As it is printed behind a name: `text`, `number`, `list of objects`, "" where nothing is known. */
export function typeText(schema: JsonObject): string {
  const type = typeOf(schema);
  if (type !== "array") return type;
  const items = isObject(schema.items) ? typeOf(schema.items) : "";
  return items ? `${items}[]` : "array";
}

/** Whether a value of the one schema may stand where the other is asked for, as far as their types tell. */
export function fits(given: JsonObject, asked: JsonObject): boolean {
  const [from, to] = [typeOf(given), typeOf(asked)];
  if (from === "" || to === "" || from === to) return true;
  return from === "integer" && to === "number";
}
