// Versions, pins, breakpoints and trying one task in the demo host: kept in memory, by the engine's rules.
import type { DraftView, PlanEdit, RevisedHow } from "../bindings";
import { Fault, type Host } from "../host";
import { isObject, type Json, type JsonObject, objectOf, parse, print, textOf } from "../json";
import { diffOf } from "./diff";
import { Laid } from "./laid";
import type { DemoRun } from "./play";
import { tasksOf } from "./ways";

export class DemoVersions {
  laid = new Laid();
  readonly names = new Map<number, string>();
  readonly kept: { revision: number; at: number; how: RevisedHow; label: string; document: Json }[] = [];

  keep(revision: number, document: Json, how: RevisedHow, label = ""): void {
    this.kept.push({ revision, at: Date.now(), how, label, document });
  }

  at(revision: number): Json {
    const found = this.kept.find((k) => k.revision === revision);
    if (!found) throw new Fault("not_found", `The plan has no revision ${revision}. Nothing was changed.`);
    return found.document;
  }
}

type Draft = {
  run: string;
  title: string;
  path: string | null;
  revision: number;
  document: Json;
  madeFrom: string | null;
  versions: DemoVersions;
};

type Around = {
  find: (run: string) => Draft;
  show: (draft: Draft, document?: Json, revision?: number) => DraftView;
  change: (draft: Draft, document: Json, how: RevisedHow, label: string) => void;
  keep: (draft: Draft, label: string) => void;
  add: (title: string, path: string | null, text: string) => Draft;
  runs: ReadonlyMap<string, DemoRun>;
};

type Commands = Pick<
  Host,
  | "revisions"
  | "nameRevision"
  | "draftAt"
  | "diff"
  | "restoreRevision"
  | "hold"
  | "heldOutput"
  | "breakAt"
  | "lastOutput"
  | "tryTask"
>;

export function versionCommands(around: Around): Commands {
  const { find, show, change, add, runs } = around;
  const open = (run: string): Draft => {
    if (runs.has(run)) throw new Fault("approved", "This plan has been approved and can't be changed any more.");
    return find(run);
  };
  const known = (draft: Draft, task: string): void => {
    if (!tasksOf(draft.document).some((t) => t.id === task))
      throw new Fault("not_found", `The plan has no task ${task}. Nothing was recorded.`);
  };
  return {
    revisions: async (run) => {
      const { versions, revision } = find(run);
      const rows = versions.kept.map(({ document: _, ...row }) => ({
        ...row,
        seq: row.revision + 1,
        name: versions.names.get(row.revision) ?? null,
        isSigned: runs.has(run) && row.revision === revision,
      }));
      return { revisions: rows.reverse(), leftOff: 0 };
    },
    nameRevision: async (run, revision, name) => {
      const { versions } = find(run);
      versions.at(revision);
      if (name) versions.names.set(revision, name.trim());
      else versions.names.delete(revision);
    },
    draftAt: async (run, revision) => {
      const draft = find(run);
      return { ...show(draft, draft.versions.at(revision), revision), isDraft: false, canUndo: false, canRedo: false };
    },
    diff: async (run, from, to) => diffOf(find(run).versions.at(from), find(run).versions.at(to)),
    restoreRevision: async (run, revision) => {
      const draft = open(run);
      const document = draft.versions.at(revision);
      if (print(document) !== print(draft.document)) change(draft, document, "edit", `Go back to revision ${revision}`);
      return show(draft);
    },
    hold: async (run, task, output) => {
      const draft = open(run);
      known(draft, task);
      const held = output === null ? undefined : print(parse(output));
      if (held === draft.versions.laid.pins.get(task)) return show(draft);
      around.keep(draft, held === undefined ? `Remove the pin of ${task}` : `Pin the output of ${task}`);
      if (held === undefined) draft.versions.laid.pins.delete(task);
      else draft.versions.laid.pins.set(task, held);
      return show(draft);
    },
    heldOutput: async (run, task) => find(run).versions.laid.pins.get(task) ?? null,
    breakAt: async (run, task, at) => {
      const draft = open(run);
      known(draft, task);
      if ((at ?? undefined) === draft.versions.laid.stops.get(task)) return show(draft);
      around.keep(draft, `${at ? "Set" : "Remove"} the breakpoint of ${task}`);
      if (at) draft.versions.laid.stops.set(task, at);
      else draft.versions.laid.stops.delete(task);
      return show(draft);
    },
    lastOutput: async (run, task) => {
      for (const [id, live] of [...runs].reverse()) {
        const json = live.outputs.get(task);
        if (json === undefined || !isKin(around, find(run), find(id)) || find(id).versions.laid.pins.has(task))
          continue;
        return {
          run: id,
          at: live.tasks.get(task)?.endedAt ?? Date.now(),
          bytes: json.length,
          json,
          isUntrusted: false,
        };
      }
      return null;
    },
    tryTask: async (run, task, outputs) => {
      const draft = find(run);
      known(draft, task);
      const given = objectOf(parse(outputs));
      const { document, reads } = trialOf(draft.document, task);
      for (const id of reads)
        if (given[id] === undefined)
          throw new Fault("missing_input", `${task} reads ${id}, and no output of it was given. Nothing was opened.`);
      const made = add(textOf(objectOf(document).goal), draft.path, print(document));
      made.madeFrom = run;
      for (const id of reads) made.versions.laid.pins.set(id, print(given[id] ?? null));
      return made.run;
    },
  };
}

function isKin({ find }: Around, a: Draft, b: Draft): boolean {
  const root = (draft: Draft): string => (draft.madeFrom ? root(find(draft.madeFrom)) : draft.run);
  return (a.path !== null && a.path === b.path) || root(a) === root(b);
}

/** The plan of one task alone, with stand-ins for what it reads. */
function trialOf(document: Json, id: string): { document: Json; reads: string[] } {
  const tasks = tasksOf(document);
  const task = tasks.find((t) => t.id === id) ?? {};
  const reads = [...new Set(readsOf([task.inputs ?? null, objectOf(task.task).inputs ?? null, task.over ?? null]))];
  const given = reads.map<JsonObject>((read) => ({
    id: read,
    title: textOf(tasks.find((t) => t.id === read)?.title) || read,
    task_type: "code",
    instruction: "Give what was given for the try.",
    source: "return null;",
  }));
  const goal = `Try one task: ${textOf(task.title) || id}`;
  const { parameters, grants, budget } = objectOf(document);
  const rest = Object.fromEntries(Object.entries({ parameters, grants, budget }).filter(([, v]) => v !== undefined));
  return { document: { goal, ...(rest as JsonObject), tasks: [...given, { ...task, dependencies: reads }] }, reads };
}

function readsOf(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(readsOf);
  if (!isObject(value) || value.$literal !== undefined) return [];
  return typeof value.$from === "string" ? [value.$from] : Object.values(value).flatMap((v) => readsOf(v ?? null));
}

/** What an edit is called in the list. */
export function editLabel(edits: readonly PlanEdit[]): string {
  const [edit] = edits;
  if (!edit || edit === "tidy") return "Tidy";
  if (edit.addTask) return `Add ${textOf(objectOf(parse(edit.addTask.task)).title) || "a task"}`;
  if (edit.removeTasks) return `Remove ${edit.removeTasks.ids.join(", ")}`;
  if (edit.setTask) return `Set ${edit.setTask.field.slice(1)} of ${edit.setTask.id}`;
  if (edit.setPlan) return `Set ${edit.setPlan.field.slice(1)}`;
  if (edit.renameTask) return `Rename ${edit.renameTask.id} to ${edit.renameTask.to}`;
  if (edit.connect) return `Connect ${edit.connect.from} → ${edit.connect.to}`;
  if (edit.disconnect) return `Disconnect ${edit.disconnect.from} → ${edit.disconnect.to}`;
  if (edit.reconnect) return `Reconnect ${edit.reconnect.from} → ${edit.reconnect.newTo}`;
  return edit.move ? "Move cards" : "Paste";
}
