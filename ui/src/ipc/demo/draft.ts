// A small model of plans for the demo host: it reads a document, finds the commonest problems and applies edits.
// The engine's own model is the truth; this one only has to be good enough to try the window in a browser.
import type { Access, DraftEdge, DraftTask, DraftView, Effect, NeedView, Problem } from "../bindings";
import { isObject, type Json, type JsonObject, objectOf, parse, print, step, textOf } from "../json";
import { TOOLS } from "./tools";
import { ancestors, type ById, byIdOf, childrenOf, dependenciesOf, maybeInLoop, tasksOf, wayBetween } from "./ways";

/** Every `$from` at any depth, with the input that holds it. */
function readsOf(value: Json | undefined, visit: (from: string) => void): void {
  if (Array.isArray(value)) for (const item of value) readsOf(item, visit);
  else if (isObject(value)) {
    if (typeof value.$from === "string") visit(value.$from);
    else for (const inner of Object.values(value)) readsOf(inner, visit);
  }
}

export function readsByInput(task: JsonObject): Map<string, string[]> {
  const reads = new Map<string, string[]>();
  for (const [name, value] of Object.entries(objectOf(task.inputs))) {
    readsOf(value, (from) => reads.set(from, [...new Set([...(reads.get(from) ?? []), name])]));
  }
  return reads;
}

const NEED_ARGUMENTS: Record<string, [string, Access]> = {
  "csv.read": ["path", "read"],
  "file.read": ["path", "read"],
  "file.list": ["path", "read"],
  "file.write": ["path", "write"],
  "http.get": ["url", "host"],
  "http.request": ["url", "host"],
  "sql.query": ["database", "database"],
  "sql.execute": ["database", "write"],
};

export function needsOf(task: JsonObject): NeedView[] {
  const tool = TOOLS.find((t) => t.name === task.tool);
  const found = NEED_ARGUMENTS[textOf(task.tool)];
  const argument = found ? objectOf(task.inputs)[found[0]] : undefined;
  if (!tool || !found || typeof argument !== "string") return [];
  const resource = found[1] === "host" ? hostOf(argument) : argument;
  const notes: Partial<Record<Effect, string>> = {
    read: "Reads the file",
    read_external: "GET only",
    write: "New file",
    write_external: "Any method",
  };
  const note = tool.name === "sql.query" ? "SELECT only" : (notes[tool.effect] ?? "");
  return [
    {
      access: found[1],
      resource,
      method: found[1] === "host" ? "GET" : null,
      effect: tool.effect,
      note,
      tasks: [textOf(task.id)],
    },
  ];
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

export function viewOf(
  run: string,
  title: string,
  revision: number,
  path: string | null,
  document: Json,
  more: Partial<DraftView>,
): DraftView {
  const tasks = tasksOf(document);
  const byId = byIdOf(tasks);
  const children = childrenOf(tasks);
  const suspects = maybeInLoop(tasks, children);
  const layout = objectOf(objectOf(objectOf(document).layout).positions);
  const shown = tasks.map<DraftTask>((task, ix) => {
    const id = textOf(task.id) || `#${ix}`;
    const place = layout[id];
    return {
      id,
      pointer: `/tasks/${ix}`,
      title: textOf(task.title) || id,
      taskType: textOf(task.task_type) || "agent",
      detail: textOf(task.tool) || textOf(task.model) || (task.task_type === "code" ? "JavaScript" : ""),
      wave: null,
      position: isObject(place) ? { x: Number(print(place.x ?? null)), y: Number(print(place.y ?? null)) } : null,
      needs: needsOf(task),
      document: print(task, 2),
      pinned: false,
      breakpoint: null,
    };
  });
  const edges = tasks.flatMap((task) => {
    const reads = readsByInput(task);
    return dependenciesOf(task)
      .filter((from) => byId.has(from))
      .map<DraftEdge>((from) => ({
        from,
        to: textOf(task.id),
        inputs: reads.get(from) ?? [],
        isInLoop: suspects.has(from) && wayBetween(tasks, textOf(task.id), from, children) !== null,
      }));
  });
  return {
    run,
    title,
    revision,
    isDraft: true,
    path,
    document: print(document, 2),
    tasks: shown,
    edges,
    problems: problemsOf(tasks, edges),
    canUndo: false,
    canRedo: false,
    undoLabel: null,
    redoLabel: null,
    ...more,
  };
}

export function problemsOf(tasks: JsonObject[], edges: DraftEdge[]): Problem[] {
  const problems: Problem[] = [];
  const byId = byIdOf(tasks);
  const add = (p: Omit<Problem, "severity" | "fix"> & Partial<Problem>) =>
    problems.push({ severity: "error", fix: null, ...p });
  if (tasks.length === 0)
    add({ code: "empty_plan", message: "The plan has no tasks yet.", pointer: "/tasks", tasks: [] });
  tasks.forEach((task, ix) => {
    const id = textOf(task.id);
    const name = textOf(task.title) || id;
    const here = `/tasks/${ix}`;
    if (textOf(task.instruction) === "")
      add({
        code: "missing_field",
        message: `${name} has no instruction.`,
        pointer: `${here}/instruction`,
        tasks: [id],
      });
    for (const [at, d] of dependenciesOf(task).entries()) {
      if (!byId.has(d))
        add({
          code: "unknown_dependency",
          message: `${name} depends on ${d}, which is no task.`,
          pointer: `${here}/dependencies/${at}`,
          tasks: [id],
          fix: { label: `Remove ${d}`, edits: [{ disconnect: { from: d, to: id } }] },
        });
    }
    checkReads(byId, task, here, name, add);
    checkTool(task, here, name, add);
  });
  const loop = edges.find((e) => e.isInLoop);
  if (loop) {
    const way = wayBetween(tasks, loop.to, loop.from) ?? [];
    add({
      code: "cycle",
      message: `A loop: ${[...way, loop.to].join(" → ")}.`,
      pointer: "/tasks",
      tasks: way,
      fix: { label: "Remove the loop edge", edits: [{ disconnect: { from: loop.from, to: loop.to } }] },
    });
  }
  return problems;
}

type Add = (p: Omit<Problem, "severity" | "fix"> & Partial<Problem>) => void;

function checkReads(byId: ById, task: JsonObject, here: string, name: string, add: Add): void {
  const id = textOf(task.id);
  const reads = readsByInput(task);
  const above = new Set(reads.size > 0 ? ancestors(byId, id) : []);
  for (const [from, inputs] of reads) {
    const pointer = `${here}/inputs${step(inputs[0] ?? "")}`;
    if (!byId.has(from))
      add({ code: "unknown_input", message: `${name} reads ${from}, which is no task.`, pointer, tasks: [id] });
    else if (!above.has(from)) {
      add({
        code: "missing_dependency",
        message: `${name} reads ${from} but does not come after it.`,
        pointer,
        tasks: [id, from],
        fix: { label: `Put it after ${from}`, edits: [{ connect: { from, to: id } }] },
      });
    }
  }
}

function checkTool(task: JsonObject, here: string, name: string, add: Add): void {
  if (task.task_type !== "tool") return;
  const id = textOf(task.id);
  const tool = TOOLS.find((t) => t.name === task.tool);
  if (!tool) {
    add({
      code: "unknown_tool",
      message: `${name} names the tool “${textOf(task.tool)}”, which is not known.`,
      pointer: `${here}/tool`,
      tasks: [id],
    });
    return;
  }
  const required = objectOf(parse(tool.arguments)).required;
  for (const argument of Array.isArray(required) ? required : []) {
    if (typeof argument === "string" && objectOf(task.inputs)[argument] === undefined) {
      add({
        code: "bad_arguments",
        message: `${name}: ${tool.name} needs “${argument}”.`,
        pointer: `${here}/inputs${step(argument)}`,
        tasks: [id],
      });
    }
  }
}

export function parametersOf(document: Json): { name: string; schema: string; default: string | null }[] {
  return Object.entries(objectOf(objectOf(document).parameters)).map(([name, schema]) => ({
    name,
    schema: print(schema),
    default: objectOf(schema).default === undefined ? null : print(objectOf(schema).default ?? null),
  }));
}
