// What the editor's keys and buttons do: each one is an edit that the engine judges. The answer is selected where it adds.
import type { Point } from "../../components/canvas/model";
import { CARD, SNAP } from "../../components/canvas/model";
import type { DraftView, PlanEdit } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { isObject, type Json, parse, print, tryParse } from "../../ipc/json";
import { edit, undo, useDraft } from "../../state/draft";
import { attempt, notify } from "../../state/notices";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";

export async function addTask(
  task: string,
  place: { after?: string[]; before?: string[]; at?: Point | null } = {},
): Promise<void> {
  const { after = [], before = [], at = null } = place;
  const position = at ? { x: snap(at.x - CARD.width / 2), y: snap(at.y - CARD.height / 2) } : null;
  await editAndSelect([{ addTask: { task, after, before, position } }]);
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}

/** Makes the edits and selects the tasks that they brought. */
async function editAndSelect(edits: PlanEdit[]): Promise<number> {
  const before = new Set(useDraft.getState().view?.tasks.map((task) => task.id));
  const view = await edit(edits);
  const made = view?.tasks.filter((task) => !before.has(task.id)).map((task) => task.id) ?? [];
  if (made.length > 0) select(made);
  return made.length;
}

export async function deleteSelection(): Promise<void> {
  const { tasks, edge } = useSelection.getState();
  if (edge) {
    const [from, to] = edge.split("→");
    if (from && to) await edit([{ disconnect: { from, to } }]);
    select([]);
    return;
  }
  if (tasks.length === 0) return;
  const view = await edit([{ removeTasks: { ids: [...tasks] } }]);
  if (!view) return;
  select([]);
  notify(t.plan.deleted(tasks.length), { action: { label: t.plan.undoAct, act: () => void undo() } });
}

/** What was copied last, for where the system's clipboard can't be read. */
let copied = "";

export function copySelection(): string | null {
  const { view } = useDraft.getState();
  const chosen = new Set(useSelection.getState().tasks);
  const tasks = view?.tasks.filter((task) => chosen.has(task.id)).map((task) => parse(task.document)) ?? [];
  if (tasks.length === 0) return null;
  copied = print({ version: parse("1"), tasks }, 2);
  navigator.clipboard?.writeText(copied).catch(() => undefined);
  notify(t.plan.copied(tasks.length));
  return copied;
}

export async function paste(text: string = copied): Promise<void> {
  const tasks = tasksIn(text);
  if (!tasks) {
    notify(t.plan.pasteNothing);
    return;
  }
  const made = await editAndSelect([{ paste: { tasks: print(tasks), at: null } }]);
  if (made > 0) notify(t.plan.pasted(made));
}

/** The tasks in a text: a plan, or a bare list of tasks. */
export function tasksIn(text: string): Json[] | null {
  const value = tryParse(text.trim());
  const tasks = isObject(value) ? value.tasks : value;
  return Array.isArray(tasks) && tasks.length > 0 && tasks.every(isObject) ? tasks : null;
}

export async function duplicate(): Promise<void> {
  const { view } = useDraft.getState();
  const chosen = new Set(useSelection.getState().tasks);
  const tasks = view?.tasks.filter((task) => chosen.has(task.id)).map((task) => parse(task.document)) ?? [];
  if (tasks.length > 0) await editAndSelect([{ paste: { tasks: print(tasks), at: null } }]);
}

export async function savePlan(): Promise<void> {
  const { view } = useDraft.getState();
  if (!view) return;
  const path = view.path ?? (await attempt(() => host().chooseSaveFile(`${fileName(view)}.plan.json`)));
  if (!path) return;
  const written = await attempt(() => host().savePlan(view.run, view.path === null ? path : null));
  if (written) notify(t.plan.savedTo(written), { tone: "done" });
}

function fileName(view: DraftView): string {
  return (
    view.title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || t.plan.saveAs
  );
}

/** Moves the selected cards by canvas units; what the layout placed is fixed where it was. */
export async function nudge(places: ReadonlyMap<string, Point>, dx: number, dy: number): Promise<void> {
  const positions = useSelection.getState().tasks.flatMap((id) => {
    const at = places.get(id);
    return at ? [{ id, x: Math.round(at.x + dx), y: Math.round(at.y + dy) }] : [];
  });
  if (positions.length > 0) await edit([{ move: { positions } }]);
}

export async function verdicts(run: string, from: string): Promise<Map<string, string | null>> {
  const answer = await attempt(() => host().connectVerdicts(run, from));
  return new Map(answer?.map((v) => [v.to, v.refusal]));
}
