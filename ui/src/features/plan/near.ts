// What the opened card tells of a task: its instruction, what it takes and from where, what it gives, what it may use.
import type { Near } from "../../components/canvas/NearCard";
import type { DraftTask, DraftView, ToolView } from "../../ipc/bindings";
import { isObject, type Json, type JsonObject, objectOf, textOf, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { outputSchema, placesIn, typeText } from "./rules/outputs";

const MOST_INPUTS = 3;

export function nearOf(view: DraftView, id: string, tools: readonly ToolView[]): Near | null {
  const task = view.tasks.find((x) => x.id === id);
  if (!task) return null;
  const document = objectOf(tryParse(task.document));
  const inputs = Object.entries(objectOf(document.inputs));
  const words = t.canvas.near;
  const lines = inputs
    .slice(0, MOST_INPUTS)
    .map(([name, value], ix) => ({ term: ix === 0 ? words.in : "", name, note: sourceOf(value, view) }));
  if (inputs.length > MOST_INPUTS) lines.push({ term: "", name: "", note: t.canvas.more(inputs.length - MOST_INPUTS) });
  const used = Array.isArray(document.tools) ? document.tools.map(textOf) : [];
  return {
    instruction: textOf(document.instruction),
    lines: [
      ...lines,
      ...gives(document, tools),
      ...(used.length > 0
        ? [
            {
              term: words.tools,
              name: used.slice(0, 3).join(", "),
              note: used.length > 3 ? t.canvas.more(used.length - 3) : "",
            },
          ]
        : []),
      ...touches(task),
    ],
  };
}

function sourceOf(value: Json, view: DraftView): string {
  if (!isObject(value)) return typeof value === "string" ? value : "";
  if (typeof value.$from === "string") {
    const from = view.tasks.find((x) => x.id === value.$from);
    return `${from?.title || value.$from}${textOf(value.path) ? ` · ${textOf(value.path)}` : ""}`;
  }
  return textOf(value.$param) || textOf(value.$template) || textOf(value.$secret);
}

function gives(document: JsonObject, tools: readonly ToolView[]): Near["lines"] {
  const schema = outputSchema(document, tools);
  const parts = placesIn(schema, 1).filter((place) => place.depth === 1);
  const name =
    parts
      .slice(0, 4)
      .map((place) => place.name)
      .join(", ") || typeText(schema);
  return name ? [{ term: t.canvas.near.out, name, note: parts.length > 4 ? t.canvas.more(parts.length - 4) : "" }] : [];
}

function touches(task: DraftTask): Near["lines"] {
  const [first] = task.needs;
  if (!first) return [];
  return [
    {
      term: t.canvas.near.touches,
      name: first.resource,
      note: task.needs.length > 1 ? t.canvas.more(task.needs.length - 1) : first.note,
    },
  ];
}
