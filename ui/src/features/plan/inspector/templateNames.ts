// Which names a template may use, with what can be reached from them by dots as far as schemas tell. Pure.
import type { DraftView, ToolView } from "../../../ipc/bindings";
import { at, isObject, type Json, type JsonObject, objectOf, step, steps, textOf, tryParse } from "../../../ipc/json";
import { outputSchema, placesIn } from "../rules/outputs";

const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** A template's names: what is in `with`, else the other inputs of its task. */
export function namesOfInputs(
  document: JsonObject,
  own: string,
  given: Json | undefined,
  schemaOf: (id: string) => JsonObject,
): string[] {
  const others = Object.entries(objectOf(document.inputs)).filter(([name]) => name !== own);
  return (isObject(given) ? Object.entries(given) : others).flatMap(([name, value]) => {
    const from = isObject(value) ? textOf(value.$from) : "";
    return from === "" ? [name] : reachable(name, schemaInside(schemaOf(from), textOf(objectOf(value).path)));
  });
}

/** The final answer's template knows the last tasks by their ids. */
export function namesOfLast(view: DraftView): string[] {
  const followed = new Set(view.edges.map((edge) => edge.from));
  return view.tasks.filter((task) => !followed.has(task.id)).map((task) => task.id);
}

/** The output schema of any task of the plan. */
export function schemasOf(view: DraftView, tools: readonly ToolView[]): (id: string) => JsonObject {
  return (id) => outputSchema(objectOf(tryParse(view.tasks.find((task) => task.id === id)?.document)), tools);
}

export function schemaInside(schema: JsonObject, path: string): JsonObject {
  return steps(path).reduce<JsonObject>((here, part) => {
    const next = /^\d+$/.test(part) ? here.items : at(here, `/properties${step(part)}`);
    return isObject(next) ? next : {};
  }, schema);
}

/** `rows`, `cost.usd`: a list's items are reached in a loop, so only objects are gone into. */
function reachable(name: string, schema: JsonObject): string[] {
  const inner = placesIn(schema, 2).map((place) => steps(place.pointer));
  const dotted = inner.filter((parts) => parts.length > 0 && parts.every((part) => IDENTIFIER.test(part)));
  return [name, ...dotted.map((parts) => [name, ...parts].join("."))];
}
