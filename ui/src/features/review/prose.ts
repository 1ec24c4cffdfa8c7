// What of an answer is text to be read. Pure.
import { isObject, type Json } from "../../ipc/json";

/** A text; that of the only leaf; or the `text` of what a tool for texts gave. Null: it is data. */
export function proseOf(value: Json | undefined, depth = 2): string | null {
  if (typeof value === "string") return value;
  if (value === undefined || depth === 0 || !isObject(value)) return null;
  const keys = Object.keys(value);
  return keys.length === 1 ? proseOf(value[keys[0] ?? ""], depth - 1) : null;
}
