// The editor's edits on the demo host's documents: each gives a new document, or a Fault that says why not.
import type { PlanEdit } from "../bindings";
import { Fault } from "../host";
import { isObject, type Json, type JsonObject, objectOf, parse, print, put, step, textOf } from "../json";
import { dependenciesOf, refusal, tasksOf } from "./ways";

/** The document after one edit. Throws a Fault where the edit is refused. */
export function applyEdit(document: Json, edit: PlanEdit): Json {
  const tasks = tasksOf(document);
  const withTasks = (next: JsonObject[]) => put(document, "/tasks", next);
  const change = (id: string, make: (task: JsonObject) => JsonObject) =>
    withTasks(tasks.map((t) => (t.id === id ? make(t) : t)));
  if (edit === "tidy")
    return isObject(objectOf(document).layout) ? put(document, "/layout/positions", undefined) : document;
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
      (doc, p) => put(doc, `/layout/positions${step(p.id)}`, parse(`{"x":${p.x},"y":${p.y}}`)),
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
    ...tasks.map((t) =>
      add.before.includes(textOf(t.id))
        ? { ...t, dependencies: [...dependenciesOf(t).filter((d) => !add.after.includes(d)), id] }
        : t,
    ),
    made,
  ];
  const withTask = put(document, "/tasks", next);
  return add.position
    ? put(withTask, `/layout/positions${step(id)}`, parse(`{"x":${add.position.x},"y":${add.position.y}}`))
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
  const known = new Set(tasks.map((t) => textOf(t.id)));
  const relink = (t: JsonObject) => ({
    ...t,
    dependencies: dependenciesOf(t).flatMap((d) => renamed.get(d) ?? (known.has(d) ? d : [])),
  });
  return put(document, "/tasks", [...tasks, ...all.slice(tasks.length).map(relink)]);
}
