// JSON without loss: numbers keep every digit that they were written with. It knows nothing of plans.
import { isLosslessNumber, LosslessNumber, parse as parseLossless, stringify } from "lossless-json";

export type Json = null | boolean | string | LosslessNumber | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Throws a SyntaxError with the place. */
export function parse(text: string): Json {
  return parseLossless(text) as Json;
}

/** Null where the text is no JSON. Use it where the engine wrote the text. */
export function tryParse(text: string | null | undefined): Json | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export function print(value: Json, indent?: number): string {
  return stringify(value, null, indent) ?? "null";
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isNumber(value);
}

export function isNumber(value: unknown): value is LosslessNumber {
  return isLosslessNumber(value);
}

export function number(text: string): LosslessNumber {
  return new LosslessNumber(text);
}

/** The object inside, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** One step of a JSON Pointer, escaped (RFC 6901). */
export function step(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function steps(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a pointer; undefined where nothing is. */
export function at(value: Json | undefined, pointer: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of steps(pointer)) {
    if (Array.isArray(here)) here = here[Number(key)];
    else if (isObject(here)) here = Object.hasOwn(here, key) ? here[key] : undefined;
    else return undefined;
  }
  return here;
}

/** A copy with the value at the pointer set, or without a value removed. Missing objects on the way are made. */
export function put(root: Json, pointer: string, value: Json | undefined): Json {
  const [first, ...rest] = steps(pointer);
  if (first === undefined) return value ?? null;
  const tail = rest.map(step).join("");
  if (Array.isArray(root)) return putItem(root, first, tail, value);
  const copy: JsonObject = { ...objectOf(root) };
  if (tail === "" && value === undefined) delete copy[first];
  else copy[first] = put(copy[first] ?? {}, tail, value);
  return copy;
}

function putItem(list: Json[], key: string, tail: string, value: Json | undefined): Json[] {
  const copy = [...list];
  const index = key === "-" ? copy.length : Number(key);
  if (tail === "" && value === undefined) copy.splice(index, 1);
  else copy[index] = put(copy[index] ?? {}, tail, value);
  return copy;
}
