// What may stand where in a plan document, for completion: field names, their values, and a word on each. The engine judges.
import type { DraftView, ToolView } from "../../../ipc/bindings";
import { objectOf, tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { KINDS } from "../templates";

export type Suggestion = { label: string; detail: string; insert?: string };
export type Path = readonly (string | number)[];

const PLAN = ["version", "goal", "parameters", "tasks", "grants", "budget", "synthesis", "layout"];
const TASK = [
  "id",
  "title",
  "task_type",
  "instruction",
  "dependencies",
  "inputs",
  "output_schema",
  "retry",
  "timeout_s",
  "optional",
  "when",
  "check",
  "writes",
  "approval",
  "idempotent",
  "model",
  "fallback",
];
const TYPED: Record<string, readonly string[]> = {
  agent: ["tools", "max_steps"],
  tool: ["tool"],
  code: ["source"],
  human: ["form"],
  map: ["over", "task", "max_parallel"],
  subplan: ["plan"],
};
const INSIDE: Record<string, readonly string[]> = {
  retry: ["max_attempts", "initial_ms", "multiplier", "max_ms"],
  budget: ["usd", "tokens", "seconds"],
  grants: ["read", "write", "hosts", "databases", "commands", "mcp", "own_work", "private_to"],
  synthesis: ["template", "model", "instruction"],
};
const SCHEMA = [
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
  "maxLength",
  "additionalProperties",
];
const MARKS = ["$from", "$param", "$template", "$secret", "$literal"];
const SHAPE: Record<string, string> = {
  tasks: "[]",
  dependencies: "[]",
  tools: "[]",
  writes: "[]",
  read: "[]",
  write: "[]",
  hosts: "[]",
  databases: "[]",
  commands: "[]",
  mcp: "[]",
  required: "[]",
  enum: "[]",
  parameters: "{}",
  grants: "{}",
  budget: "{}",
  synthesis: "{}",
  layout: "{}",
  inputs: "{}",
  output_schema: "{}",
  retry: "{}",
  form: "{}",
  task: "{}",
  plan: "{}",
  properties: "{}",
  items: "{}",
  optional: "true",
  idempotent: "true",
};

/** The nearest plan and task around a place: a nested plan or an inner task counts from its own start. */
function within(path: Path): { here: Path; isTask: boolean } {
  for (let ix = path.length - 1; ix >= 0; ix--) {
    if (path[ix] === "plan") return { here: path.slice(ix + 1), isTask: false };
    if (path[ix] === "task" && typeof path[ix - 1] === "number") return { here: path.slice(ix + 1), isTask: true };
    if (path[ix] === "tasks" && typeof path[ix + 1] === "number") return { here: path.slice(ix + 2), isTask: true };
  }
  return { here: path, isTask: false };
}

/** Names that may be keys of the object at `path`; those that it has already are left out. */
export function keysAt(
  path: Path,
  taken: ReadonlySet<string>,
  kind: string,
  view: DraftView,
  tools: readonly ToolView[],
  tool = "",
): Suggestion[] {
  const { here, isTask } = within(path);
  return namesAt(here, isTask, kind, view, tools, tool)
    .filter((name) => !taken.has(name))
    .map((label) => ({ label, detail: t.plan.fieldNotes[label] ?? "", insert: SHAPE[label] ?? '""' }));
}

function namesAt(
  here: Path,
  isTask: boolean,
  kind: string,
  view: DraftView,
  tools: readonly ToolView[],
  tool: string,
): readonly string[] {
  const [first, ...rest] = here;
  if (first === undefined) return isTask ? [...(TYPED[kind] ?? Object.values(TYPED).flat()), ...TASK] : PLAN;
  if (rest.length === 0 && INSIDE[String(first)]) return INSIDE[String(first)] ?? [];
  if (isTask && first === "inputs") {
    if (rest.length > 0) return MARKS.concat("path", "with");
    const known = tools.find((x) => x.name === tool);
    return Object.keys(objectOf(objectOf(tryParse(known?.arguments)).properties));
  }
  const isSchema = first === "output_schema" || first === "form" || first === "parameters";
  if (!isSchema) return [];
  const last = rest[rest.length - 1];
  if (first === "parameters" && rest.length === 0) return [];
  return last === "properties" || !view ? [] : SCHEMA;
}

/** Values that may stand at `path`, whose last step is the field. */
export function valuesAt(path: Path, view: DraftView, tools: readonly ToolView[]): Suggestion[] {
  const { here, isTask } = within(path);
  const last = here[here.length - 1];
  const list = here[here.length - 2];
  const tasks = () => view.tasks.map((task) => ({ label: task.id, detail: task.title === task.id ? "" : task.title }));
  if (last === "$from" || (isTask && list === "dependencies")) return tasks();
  if (last === "$param") {
    const parameters = objectOf(objectOf(tryParse(view.document)).parameters);
    return Object.keys(parameters).map((label) => ({ label, detail: "" }));
  }
  if (!isTask) return last === "type" ? types() : [];
  if (last === "task_type") return KINDS.map((kind) => ({ label: kind, detail: t.words.kindNote[kind] ?? "" }));
  if (last === "tool" || list === "tools")
    return tools.map((x) => ({ label: x.name, detail: t.words.effect[x.effect] }));
  if (last === "approval") return ["none", "before"].map((label) => ({ label, detail: "" }));
  return last === "type" ? types() : [];
}

function types(): Suggestion[] {
  return ["string", "number", "integer", "boolean", "object", "array", "null"].map((label) => ({ label, detail: "" }));
}
