// What a new connection could carry: outputs of the one task for open inputs of the other. Pure; the engine judges the edit.
import type { ToolView } from "../../../ipc/bindings";
import { isObject, type Json, type JsonObject, objectOf, step, textOf, tryParse } from "../../../ipc/json";
import { fits, outputSchema, placesIn } from "./outputs";
import { freeId, marksOf } from "./reads";

export type Offer = {
  /** The input that is set. */
  input: string;
  isNew: boolean;
  path: string;
  type: string;
  value: Json;
};

/** Best first. Empty where the task reads it already, has no room for it, or nothing fits. */
export function offersFor(from: JsonObject, to: JsonObject, tools: readonly ToolView[]): Offer[] {
  const source = textOf(from.id);
  if (marksOf(to, "$from").includes(source)) return [];
  const places = placesIn(outputSchema(from, tools), 1);
  const open = openInputs(to, tools);
  if (open === null) return placesFor(places, source, to);
  return open.flatMap(({ name, schema }) =>
    places
      .filter((place) => fits(place.schema, schema))
      .sort((a, b) => closeness(name, b.name) - closeness(name, a.name))
      .map((place) => offer(name, false, source, place.pointer, place.type)),
  );
}

function offer(input: string, isNew: boolean, source: string, path: string, type: string): Offer {
  return { input, isNew, path, type, value: path === "" ? { $from: source } : { $from: source, path } };
}

/** A task that takes any inputs gets a new one, named after what it carries. */
function placesFor(places: ReturnType<typeof placesIn>, source: string, to: JsonObject): Offer[] {
  const taken = new Set(Object.keys(objectOf(to.inputs)));
  const parts = places.filter((place) => place.pointer !== "");
  const whole = places.filter((place) => place.pointer === "");
  return [...parts, ...whole].map((place) =>
    offer(freeId(variable(place.name || source), taken), true, source, place.pointer, place.type),
  );
}

/** Inputs are variables of code and templates, so that a name with a dash would be none. */
function variable(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, "_");
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** Null: it takes any. */
function openInputs(to: JsonObject, tools: readonly ToolView[]): { name: string; schema: JsonObject }[] | null {
  const kind = textOf(to.task_type) || "agent";
  if (kind === "agent" || kind === "model" || kind === "code") return null;
  const inputs = objectOf(to.inputs);
  const isOpen = (name: string) => inputs[name] === undefined || isEmptyRead(inputs[name]);
  if (kind === "tool") {
    const schema = objectOf(tryParse(tools.find((x) => x.name === to.tool)?.arguments));
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    return Object.entries(objectOf(schema.properties))
      .filter(([name]) => required.has(name) && isOpen(name))
      .map(([name, property]) => ({ name, schema: objectOf(property) }));
  }
  if (kind === "map") {
    const over = textOf(to.over);
    const list = inputs[over];
    const isFree = over !== "" && (isOpen(over) || (Array.isArray(list) && list.length === 0));
    return isFree ? [{ name: over, schema: { type: "array" } }] : [];
  }
  if (kind === "subplan") {
    const parameters = Object.entries(objectOf(objectOf(to.plan).parameters));
    return parameters
      .filter(([name, p]) => isOpen(name) && objectOf(p).default === undefined)
      .map(([name, p]) => ({ name, schema: objectOf(p) }));
  }
  return [];
}

function isEmptyRead(value: Json | undefined): boolean {
  return isObject(value) && value.$from === "";
}

/** How alike two names are: the same, one in the other, or not. */
function closeness(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return 2;
  return y !== "" && (x.includes(y) || y.includes(x)) ? 1 : 0;
}

/** The one offer that needs no question: the only one, or the only one of the same name. */
export function obvious(offers: readonly Offer[]): Offer | null {
  if (offers.length === 1) return offers[0] ?? null;
  const same = offers.filter((o) => !o.isNew && o.path === step(o.input));
  return same.length === 1 && new Set(offers.map((o) => o.input)).size === 1 ? (same[0] ?? null) : null;
}

export function describe(offer: Offer): string {
  return offer.path === "" ? "" : offer.path.slice(1).replaceAll("/", " › ");
}
