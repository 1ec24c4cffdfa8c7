// Where an input comes from, read from and written to its JSON form. Pure.

import { NUMBER, typeOf } from "../../../components/values/schema";
import { isObject, type Json, type JsonObject, number, print, textOf } from "../../../ipc/json";

export type SourceKind = "text" | "json" | "from" | "param" | "template" | "secret" | "item" | "index";
export const SOURCE_KINDS: readonly SourceKind[] = ["from", "text", "json", "param", "template", "secret"];

/** Only inside a map. */
export const ITEM_KINDS: readonly SourceKind[] = ["item", "index"];

export function sourceKind(value: Json | undefined, schema: JsonObject | null): SourceKind {
  if (isObject(value)) {
    if (typeof value.$from === "string") return "from";
    if (typeof value.$param === "string") return "param";
    if (typeof value.$secret === "string") return "secret";
    if (typeof value.$template === "string") return "template";
    if (typeof value.$item === "string") return "item";
    if (value.$index === true) return "index";
    return "json";
  }
  if (typeof value === "string") return "text";
  if (value !== undefined) return "json";
  const type = schema ? typeOf(schema) : "string";
  return type === "string" || type === "" ? "text" : "json";
}

/** A value of the wanted kind, keeping what can be kept. Undefined removes the input. */
export function convert(
  value: Json | undefined,
  to: SourceKind,
  readable: readonly string[],
  parameters: readonly string[],
): Json | undefined {
  const text = typeof value === "string" ? value : "";
  switch (to) {
    case "text":
      return isObject(value)
        ? textOf(value.$template)
        : text || (value === undefined || value === null ? "" : print(value));
    case "json":
      return value === undefined
        ? null
        : isObject(value) && Object.keys(value).some((k) => k.startsWith("$"))
          ? {}
          : NUMBER.test(text)
            ? number(text)
            : value;
    case "from":
      return { $from: readable[0] ?? "" };
    case "param":
      return { $param: parameters[0] ?? "" };
    case "template":
      return { $template: text };
    case "secret":
      return { $secret: "" };
    case "item":
      return { $item: "" };
    case "index":
      return { $index: true };
  }
}

export function withPath(from: string, path: string): Json {
  const pointer =
    path.trim() === "" || path.trim() === "/" ? "" : path.trim().startsWith("/") ? path.trim() : `/${path.trim()}`;
  return pointer === "" ? { $from: from } : { $from: from, path: pointer };
}
