// What the overlays of the approval draw on the cards: what each task may touch, and why one can't run. Pure.
import type { CanvasTask } from "../../components/canvas/model";
import { isRisky } from "../../components/marks/marks";
import type { ApprovalView, ChosenView, Effect, NeedView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";

export type Overlay = "plain" | "untrusted" | "path" | "grants";

/** In the order in which they stand over the canvas; there is no way to show where no text comes from outside. */
export function overlaysOf(hasTaint: boolean): readonly Overlay[] {
  return hasTaint ? ["plain", "untrusted", "path", "grants"] : ["plain", "path", "grants"];
}

type LeftOut = ChosenView["leftOut"];

/** By task: why it will not run. */
export function whyOut(leftOut: LeftOut, name: (id: string) => string): ReadonlyMap<string, string> {
  return new Map(
    leftOut.map(({ task, need, after }) => [
      task,
      need ? t.approval.lacks(visible(need.resource)) : after ? t.approval.behind(name(after)) : "",
    ]),
  );
}

/** The riskiest thing that each task may do; grants that are off, and tasks that will not run, count for none. */
function riskiest(
  needs: readonly NeedView[],
  isOff: (need: NeedView) => boolean,
  leftOut: LeftOut,
): ReadonlyMap<string, Effect> {
  const out = new Set(leftOut.map((left) => left.task));
  const found = new Map<string, Effect>();
  // They come riskiest first, so that the first one of a task is its riskiest.
  for (const need of needs) {
    if (isOff(need)) continue;
    for (const task of need.tasks) if (!found.has(task) && !out.has(task)) found.set(task, need.effect);
  }
  return found;
}

/** Under each card what it does at worst where that is a risk, and what it lacks where it can't run. */
export function grantCards(
  cards: readonly CanvasTask[],
  { needs }: Pick<ApprovalView, "needs">,
  isOff: (need: NeedView) => boolean,
  leftOut: LeftOut,
): CanvasTask[] {
  const worst = riskiest(needs, isOff, leftOut);
  const lacking = new Map(leftOut.flatMap(({ task, need }) => (need ? [[task, need] as const] : [])));
  return cards.map((card) => {
    const need = lacking.get(card.id);
    // What it lacks is said once, where it is read from afar too.
    if (need) {
      const text = t.approval.lacks(visible(need.resource));
      return { ...card, right: "", mark: { text, place: "below", tone: "off" } };
    }
    const effect = worst.get(card.id);
    return effect && isRisky(effect)
      ? { ...card, mark: { text: t.approval.groups[effect], place: "below" } }
      : { ...card, mark: null };
  });
}

/** Tasks that run and touch something. */
export function touching(
  needs: readonly NeedView[],
  isOff: (need: NeedView) => boolean,
  leftOut: LeftOut,
): ReadonlySet<string> {
  return new Set(riskiest(needs, isOff, leftOut).keys());
}

/** How many grants of each group hold, riskiest first, and how many are off. */
export function grantFacts(
  needs: readonly NeedView[],
  isOff: (need: NeedView) => boolean,
  leftOut: LeftOut,
): { term: string; text: string }[] {
  const groups = new Map<Effect, number>();
  for (const need of needs) if (!isOff(need)) groups.set(need.effect, (groups.get(need.effect) ?? 0) + 1);
  const facts = [...groups].map(([effect, n]) => ({ term: t.approval.groups[effect], text: String(n) }));
  const off = needs.filter(isOff).length;
  if (off > 0) facts.push({ term: t.approval.isOff, text: String(off) });
  if (leftOut.length > 0) facts.push({ term: t.approval.willNotRun, text: String(leftOut.length) });
  return facts;
}
