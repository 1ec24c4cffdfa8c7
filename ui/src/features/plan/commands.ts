// What the editor's keys and buttons do: each one is an edit that the engine judges. The answer is selected where it adds.
import type { Point } from "../../components/canvas/model";
import { placeAll } from "../../components/canvas/places";
import type { DraftView, Placed, PlanEdit } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { print, step } from "../../ipc/json";
import { edit, settled, undo, useDraft } from "../../state/draft";
import { attempt, notify } from "../../state/notices";
import { revealField, select, selectAndShow, useSelection } from "../../state/selection";
import { t } from "../../text";
import { askMap, mapInto, mapped } from "./connecting";
import { type Copied, gather, pasteEdits, readCopied } from "./rules/pasting";
import { cornerOf, placeUnder, staying } from "./rules/staying";

export async function addTask(
  task: string,
  place: { after?: string[]; before?: string[]; at?: Point | null } = {},
): Promise<void> {
  const { after = [], before = [], at = null } = place;
  await settled();
  const { view } = useDraft.getState();
  if (!view) return;
  const position = at ? cornerOf(at) : placeUnder(view, after);
  const links = [...after.map((from) => ({ from, to: NEW })), ...before.map((to) => ({ from: NEW, to }))];
  const gone = after.flatMap((from) => before.map((to) => ({ from, to })));
  const kept = position ? staying(view, [{ id: NEW, position }], links, gone) : [];
  const [from] = after;
  const made = from === undefined ? { task, ask: [] } : mapped(from, task);
  const edits: PlanEdit[] = [{ addTask: { task: made.task, after, before, position } }, ...keep(kept)];
  if ((await editAndSelect(edits)) === 1 && from !== undefined)
    askMap(from, useSelection.getState().tasks[0] ?? "", made.ask);
}

/** Stands for the id that the engine will give. No id can hold a space. */
const NEW = "new task";

function keep(positions: Placed[]): PlanEdit[] {
  return positions.length > 0 ? [{ move: { positions } }] : [];
}

/** A task that stands alone comes between two that are connected; what went along their edge still may. */
export async function putBetween(task: string, from: string, to: string): Promise<void> {
  const { view } = useDraft.getState();
  const before = view?.edges.filter((e) => e.to === to && e.from !== from).map((e) => e.from) ?? [];
  const { edits, ask } = mapInto(from, task);
  const done = await edit([
    { connect: { from, to: task } },
    // Set as a list, because cutting the old edge would clear the inputs that read over it, and those still come.
    { setTask: { id: to, field: "/dependencies", value: print([...before, task]) } },
    { setPlan: { field: `/layout/positions${step(task)}`, value: null } },
    ...edits,
  ]);
  if (done) askMap(from, task, ask);
}

/** Makes the edits and selects the tasks that they brought. */
export async function editAndSelect(edits: PlanEdit[]): Promise<number> {
  const before = new Set(useDraft.getState().view?.tasks.map((task) => task.id));
  const view = await edit(edits);
  const made = view?.tasks.filter((task) => !before.has(task.id)).map((task) => task.id) ?? [];
  if (made.length > 0) selectAndShow(made);
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

/** Where the cards are now, also where no canvas shows them. */
export function placesNow(): Map<string, Point> {
  const { view } = useDraft.getState();
  return view ? placeAll(view.tasks, view.edges) : new Map();
}

/** What was copied last, for where the system's clipboard can't be read. */
let copied = "";

/** Null where nothing is chosen, or where a text is marked that the person means instead. */
export function copySelection(): string | null {
  const { view } = useDraft.getState();
  if (!view || !(window.getSelection()?.isCollapsed ?? true)) return null;
  const text = gather(view, new Set(useSelection.getState().tasks), placesNow());
  if (text === null) return null;
  copied = text;
  writeClipboard(text);
  notify(t.plan.copied(useSelection.getState().tasks.length));
  return text;
}

/** By the copy event, which needs no permission in any engine; else by the newer way, which may ask. */
function writeClipboard(text: string): void {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", onCopy, { capture: true });
  const isDone = document.execCommand?.("copy") ?? false;
  document.removeEventListener("copy", onCopy, { capture: true });
  if (!isDone) navigator.clipboard?.writeText(text).catch(() => undefined);
}

/** `aim`: where the middle of what is pasted shall be; null: beside where it was copied from. */
export async function paste(text: string = copied, aim: Point | null = null): Promise<void> {
  const found = readCopied(text);
  if (!found) {
    notify(t.plan.pasteNothing);
    return;
  }
  const { made, unmapped } = await pasteCopied(found, aim);
  const [open] = unmapped;
  if (made > 0 && !open) notify(t.plan.pasted(made));
  if (made === 0 || !open) return;
  const act = () => revealField(open.task, `/inputs${step(open.input)}`);
  notify(t.editor.pasted(made, unmapped.length), { action: { label: t.editor.show, act } });
}

async function pasteCopied(found: Copied, aim: Point | null) {
  await settled();
  const { view } = useDraft.getState();
  if (!view) return { made: 0, unmapped: [] };
  const into = { run: view.run, ids: new Set(view.tasks.map((task) => task.id)) };
  const { edits, newcomers, links, unmapped } = pasteEdits(found, into, placesNow(), aim);
  const made = await editAndSelect([...edits, ...keep(staying(view, newcomers, links))]);
  return { made, unmapped };
}

export async function duplicate(): Promise<void> {
  const { view } = useDraft.getState();
  const text = view ? gather(view, new Set(useSelection.getState().tasks), placesNow()) : null;
  const found = text === null ? null : readCopied(text);
  if (found) await pasteCopied(found, null);
}

export async function savePlan(): Promise<void> {
  await settled();
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
export async function nudge(dx: number, dy: number): Promise<void> {
  const places = placesNow();
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
