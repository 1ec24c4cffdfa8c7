// A small model of plans for the demo host: it reads a document, finds the commonest problems and applies edits.
// The engine's own model is the truth; this one only has to be good enough to try the window in a browser.
import type { Access, DraftEdge, DraftTask, DraftView, Effect, NeedView, PlanEdit, Problem } from "../bindings";
import { Fault } from "../host";
import { isObject, type Json, type JsonObject, objectOf, parse, print, put, step, textOf } from "../json";
import { TOOLS } from "./tools";

export function tasksOf(document: Json): JsonObject[] {
  const tasks = objectOf(document).tasks;
  return Array.isArray(tasks) ? tasks.map(objectOf) : [];
}

export function dependenciesOf(task: JsonObject): string[] {
  return Array.isArray(task.dependencies) ? task.dependencies.filter((d): d is string => typeof d === "string") : [];
}

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

/** Whether `to` can be reached from `from` along dependencies; the way there, or null. */
export function wayBetween(tasks: JsonObject[], from: string, to: string): string[] | null {
  const children = new Map<string, string[]>();
  for (const task of tasks)
    for (const d of dependenciesOf(task)) children.set(d, [...(children.get(d) ?? []), textOf(task.id)]);
  const cameFrom = new Map<string, string | null>([[from, null]]);
  const queue = [from];
  for (const here of queue) {
    if (here === to) break;
    for (const child of children.get(here) ?? []) {
      if (cameFrom.has(child)) continue;
      cameFrom.set(child, here);
      queue.push(child);
    }
  }
  if (!cameFrom.has(to)) return null;
  const way: string[] = [];
  for (let here: string | null = to; here !== null; here = cameFrom.get(here) ?? null) way.unshift(here);
  return way;
}

export function refusal(tasks: JsonObject[], from: string, to: string): string | null {
  if (from === to) return "A task can't depend on itself.";
  const target = tasks.find((t) => t.id === to);
  if (target && dependenciesOf(target).includes(from)) return "Connected already.";
  const way = wayBetween(tasks, to, from);
  return way ? `Makes a loop: ${[...way, to].join(" → ")}.` : null;
}

function ancestors(tasks: JsonObject[], id: string): string[] {
  const byId = new Map(tasks.map((t) => [textOf(t.id), t]));
  const found = new Set<string>();
  const queue = [id];
  for (const here of queue) {
    for (const parent of dependenciesOf(byId.get(here) ?? {})) {
      if (found.has(parent) || parent === id || !byId.has(parent)) continue;
      found.add(parent);
      queue.push(parent);
    }
  }
  return [...found];
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
  const ids = new Set(tasks.map((t) => textOf(t.id)));
  const layout = objectOf(objectOf(document).layout);
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
      readable: ancestors(tasks, id),
    };
  });
  const edges = tasks.flatMap((task) => {
    const reads = readsByInput(task);
    return dependenciesOf(task)
      .filter((from) => ids.has(from))
      .map<DraftEdge>((from) => ({
        from,
        to: textOf(task.id),
        inputs: reads.get(from) ?? [],
        isInLoop: wayBetween(tasks, textOf(task.id), from) !== null,
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
  const ids = new Set(tasks.map((t) => textOf(t.id)));
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
      if (!ids.has(d))
        add({
          code: "unknown_dependency",
          message: `${name} depends on ${d}, which is no task.`,
          pointer: `${here}/dependencies/${at}`,
          tasks: [id],
          fix: { label: `Remove ${d}`, edits: [{ disconnect: { from: d, to: id } }] },
        });
    }
    checkReads(tasks, task, here, name, add);
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

function checkReads(tasks: JsonObject[], task: JsonObject, here: string, name: string, add: Add): void {
  const id = textOf(task.id);
  const above = new Set(ancestors(tasks, id));
  for (const [from, inputs] of readsByInput(task)) {
    const pointer = `${here}/inputs${step(inputs[0] ?? "")}`;
    const known = tasks.some((t) => t.id === from);
    if (!known)
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

/** The document after one edit. Throws a Fault where the edit is refused. */
export function applyEdit(document: Json, edit: PlanEdit): Json {
  const tasks = tasksOf(document);
  const withTasks = (next: JsonObject[]) => put(document, "/tasks", next);
  const change = (id: string, make: (task: JsonObject) => JsonObject) =>
    withTasks(tasks.map((t) => (t.id === id ? make(t) : t)));
  if (edit === "tidy") return put(document, "/layout", undefined);
  if (edit.addTask) return addTask(document, tasks, edit.addTask);
  if (edit.removeTasks) return withTasks(removed(tasks, new Set(edit.removeTasks.ids)));
  if (edit.setTask) return change(edit.setTask.id, setField(edit.setTask.field, edit.setTask.value));
  if (edit.setPlan) return setField(edit.setPlan.field, edit.setPlan.value)(objectOf(document));
  if (edit.connect) return connect(document, edit.connect.from, edit.connect.to);
  if (edit.disconnect) {
    const gone = new Set([edit.disconnect.from]);
    return change(edit.disconnect.to, (t) => unlinked(t, gone));
  }
  if (edit.reconnect) {
    const { from, to, newFrom, newTo } = edit.reconnect;
    return connect(applyEdit(document, { disconnect: { from, to } }), newFrom, newTo);
  }
  if (edit.move)
    return edit.move.positions.reduce<Json>(
      (doc, p) => put(doc, `/layout${step(p.id)}`, parse(`{"x":${p.x},"y":${p.y}}`)),
      document,
    );
  if (edit.renameTask) return parse(print(document).replaceAll(`"${edit.renameTask.id}"`, `"${edit.renameTask.to}"`));
  return edit.paste ? paste(document, tasks, edit.paste.tasks) : document;
}

function setField(field: string, value: string | null): (object: JsonObject) => JsonObject {
  return (object) => objectOf(put(object, field, value === null ? undefined : parse(value)));
}

function freeId(tasks: JsonObject[], wanted: string): string {
  const taken = new Set(tasks.map((t) => t.id));
  let id = wanted;
  for (let n = 2; taken.has(id); n++) id = `${wanted}_${n}`;
  return id;
}

function addTask(
  document: Json,
  tasks: JsonObject[],
  add: { task: string; after: string[]; before: string[]; position: { x: number; y: number } | null },
): Json {
  const task = objectOf(parse(add.task));
  const id = freeId(tasks, textOf(task.id) || "task");
  const made: JsonObject = { id, ...task };
  made.id = id;
  if (add.after.length > 0) made.dependencies = add.after;
  const next = [
    ...tasks.map((t) => (add.before.includes(textOf(t.id)) ? { ...t, dependencies: [...dependenciesOf(t), id] } : t)),
    made,
  ];
  const withTask = put(document, "/tasks", next);
  return add.position
    ? put(withTask, `/layout${step(id)}`, parse(`{"x":${add.position.x},"y":${add.position.y}}`))
    : withTask;
}

function removed(tasks: JsonObject[], gone: Set<string>): JsonObject[] {
  const strip = (t: JsonObject) => ({
    ...t,
    ...(t.dependencies === undefined ? {} : { dependencies: dependenciesOf(t).filter((d) => !gone.has(d)) }),
  });
  return tasks.filter((t) => !gone.has(textOf(t.id))).map(strip);
}

function unlinked(task: JsonObject, from: Set<string>): JsonObject {
  const inputs = objectOf(task.inputs);
  const kept = Object.entries(inputs).filter(
    ([, v]) => !(isObject(v) && typeof v.$from === "string" && from.has(v.$from)),
  );
  const next: JsonObject = { ...task, dependencies: dependenciesOf(task).filter((d) => !from.has(d)) };
  if (task.inputs !== undefined) next.inputs = Object.fromEntries(kept);
  return next;
}

function connect(document: Json, from: string, to: string): Json {
  const tasks = tasksOf(document);
  const refused = refusal(tasks, from, to);
  if (refused === "Connected already.") return document;
  if (refused) throw new Fault("cycle", `${refused} The plan is as it was.`);
  return put(
    document,
    "/tasks",
    tasks.map((t) => (t.id === to ? { ...t, dependencies: [...dependenciesOf(t), from] } : t)),
  );
}

function paste(document: Json, tasks: JsonObject[], text: string): Json {
  const pasted = parse(text);
  const items = (Array.isArray(pasted) ? pasted : []).map(objectOf);
  const all = [...tasks];
  const renamed = new Map<string, string>();
  for (const item of items) {
    const id = freeId(all, textOf(item.id) || "task");
    renamed.set(textOf(item.id), id);
    all.push({ ...item, id });
  }
  const relink = (t: JsonObject) => ({ ...t, dependencies: dependenciesOf(t).flatMap((d) => renamed.get(d) ?? []) });
  return put(document, "/tasks", [...tasks, ...all.slice(tasks.length).map(relink)]);
}
