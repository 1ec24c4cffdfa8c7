// What is done with several tasks at once: lining up, tidying, leaving out, into a subplan and out of it.
import { directionNow } from "../../components/canvas/direction";
import { layByElk } from "../../components/canvas/elk";
import { layOut } from "../../components/canvas/layout";
import type { Point } from "../../components/canvas/model";
import type { CanvasHandle } from "../../components/canvas/viewport";
import type { DraftView, Placed } from "../../ipc/bindings";
import { objectOf, tryParse } from "../../ipc/json";
import { edit, settled, useDraft } from "../../state/draft";
import { notify } from "../../state/notices";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { placesNow } from "./commands";
import { type Alignment, align, distribute, tidySet } from "./rules/arrange";
import { makeSubplan } from "./rules/grouping";
import { openUp } from "./rules/opening";
import { skipEdits } from "./rules/skipping";
import { type Lay, type Tidied, tidying } from "./rules/tidying";

const chosen = () => useSelection.getState().tasks;

async function move(positions: readonly Placed[]): Promise<void> {
  if (positions.length > 0) await edit([{ move: { positions: [...positions] } }]);
}

export const alignChosen = (how: Alignment) => move(align(placesNow(), chosen(), how));
export const distributeChosen = (axis: "x" | "y") => move(distribute(placesNow(), chosen(), axis));

/** Two tasks of one wave change places, so that the one is read before the other. */
export async function swapInWave(one: string, other: string): Promise<void> {
  const places = placesNow();
  const [a, b] = [places.get(one), places.get(other)];
  if (!a || !b) return;
  const isDown = directionNow() === "down";
  const at = (id: string, own: Point, its: Point): Placed =>
    isDown ? { id, x: Math.round(its.x), y: Math.round(own.y) } : { id, x: Math.round(own.x), y: Math.round(its.y) };
  await move([at(one, a, b), at(other, b, a)]);
}

/** Asked for again and again, as by a key that is held down, it is done once. */
const TIDY_AFTER_MS = 120;
/** So long nothing is said of it. */
const SAY_AFTER_MS = 600;
let asked = 0;

/** With several tasks chosen only these; else the plan, and the view fits what the layout made of it. */
export async function tidy(canvas: CanvasHandle | null, all = false): Promise<void> {
  const turn = ++asked;
  await new Promise((done) => window.setTimeout(done, TIDY_AFTER_MS));
  if (turn !== asked) return;
  await settled();
  const ids = chosen();
  const { view } = useDraft.getState();
  if (!view) return;
  if (ids.length > 1 && !all) {
    await move(tidySet(placesNow(), ids, view.edges));
    return;
  }
  const done = await tidiedBy(view, all);
  const now = useDraft.getState().view;
  // What was changed meanwhile is laid out anew, not over.
  if (turn !== asked || now?.run !== view.run) return;
  if (now.revision !== view.revision) return tidy(canvas, all);
  if (done.edits.length > 0) await edit(done.edits);
  requestAnimationFrame(() => canvas?.fit());
  if (done.stayed > 0)
    notify(t.editor.tidied(done.stayed), {
      action: { label: t.editor.tidyThese(done.stayed), act: () => void tidy(canvas, true) },
    });
}

/** Where the layout in the worker can't be had, the usual one does it. */
async function tidiedBy(view: DraftView, all: boolean): Promise<Tidied> {
  const timer = window.setTimeout(() => notify(t.editor.tidying(view.tasks.length)), SAY_AFTER_MS);
  const usual: Lay = async (ids, links, heightOf) => layOut(ids, links, heightOf);
  try {
    return await tidying(view, layByElk, all).catch(() => tidying(view, usual, all));
  } finally {
    window.clearTimeout(timer);
  }
}

export async function skipChosen(): Promise<void> {
  const ids = new Set(chosen());
  const tasks = useDraft.getState().view?.tasks.filter((task) => ids.has(task.id)) ?? [];
  if (tasks.length === 0) notify(t.plan.pickTask);
  else await edit(skipEdits(tasks.map((task) => objectOf(tryParse(task.document)))));
}

export async function groupChosen(): Promise<void> {
  await settled();
  const { view } = useDraft.getState();
  const ids = new Set(chosen());
  if (!view) return;
  const made = makeSubplan(view, ids, placesNow());
  if ("refusal" in made) {
    notify(made.refusal);
    return;
  }
  if (!(await edit(made.edits))) return;
  select([made.id]);
  notify(t.plan.grouped(ids.size), { tone: "done" });
}

export async function openUpChosen(): Promise<void> {
  await settled();
  const { view } = useDraft.getState();
  const [id] = chosen();
  if (!view) return;
  const opened = id === undefined ? { refusal: t.plan.openUpNone } : openUp(view, id, placesNow());
  if ("refusal" in opened) notify(opened.refusal);
  else if (await edit(opened.edits)) select(opened.ids);
}
