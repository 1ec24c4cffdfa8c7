// Making a connection: with the one input that it can only mean, or with the question which output goes where.
import { create } from "zustand";
import type { PlanEdit } from "../../ipc/bindings";
import { type JsonObject, objectOf, print, put, step, tryParse } from "../../ipc/json";
import { edit, useDraft } from "../../state/draft";
import { useTools } from "../../state/tools";
import { t } from "../../text";
import { describe, type Offer, obvious, offersFor } from "./rules/mapping";
import { staying } from "./rules/staying";

/** Asked after an edge was made that could carry several things. */
export type MapAsk = { from: string; to: string; offers: readonly Offer[] };

export const useMapAsk = create<{ ask: MapAsk | null }>(() => ({ ask: null }));

export function closeMapAsk(): void {
  useMapAsk.setState({ ask: null });
}

function documentOf(id: string): JsonObject {
  return objectOf(tryParse(useDraft.getState().view?.tasks.find((task) => task.id === id)?.document));
}

export async function connect(from: string, to: string): Promise<void> {
  const offers = offersOf(from, to);
  const only = obvious(offers);
  const edits: PlanEdit[] = [{ connect: { from, to } }, ...stay(from, to)];
  if (only) edits.push(mapEdit(to, only));
  if ((await edit(edits)) && !only && offers.length > 0) useMapAsk.setState({ ask: { from, to, offers } });
}

/** The edge leads elsewhere now; it carries what it can only mean there. One step of undo. */
export async function reconnect(from: string, to: string, newTo: string): Promise<void> {
  const offers = offersOf(from, newTo);
  const only = obvious(offers);
  const edits: PlanEdit[] = [{ reconnect: { from, to, newFrom: from, newTo } }];
  if (only) edits.push(mapEdit(newTo, only));
  if ((await edit(edits)) && !only && offers.length > 0) useMapAsk.setState({ ask: { from, to: newTo, offers } });
}

function offersOf(from: string, to: string): readonly Offer[] {
  return offersFor(documentOf(from), documentOf(to), useTools.getState().tools ?? []);
}

/** What a connection would carry by itself, such as “rows → items”; null where it would have to be asked. */
export function carried(from: string, to: string): string | null {
  const offers = offersOf(from, to);
  const only = obvious(offers);
  if (!only) return offers.length > 0 ? null : t.editor.orderOnly;
  return `${describe(only) || t.plan.wholeOutput} → ${only.input}`;
}

/** A card that was put by hand comes among the others with its first connection; they need not make room for it. */
function stay(from: string, to: string): PlanEdit[] {
  const { view } = useDraft.getState();
  const isPlaced = view?.tasks.some((task) => (task.id === from || task.id === to) && task.position !== null);
  const positions = view && isPlaced ? staying(view, [], [{ from, to }]) : [];
  return positions.length > 0 ? [{ move: { positions } }] : [];
}

/** A task that is to come behind another one, with the input that it can only mean already in it; else the question. */
export function mapped(from: string, task: string): { task: string; ask: readonly Offer[] } {
  const document = objectOf(tryParse(task));
  const offers = offersFor(documentOf(from), document, useTools.getState().tools ?? []);
  const only = obvious(offers);
  return only
    ? { task: print(put(document, `/inputs${step(only.input)}`, only.value)), ask: [] }
    : { task, ask: offers };
}

/** The same for a task that stands in the plan already, as one more edit. */
export function mapInto(from: string, to: string): { edits: PlanEdit[]; ask: readonly Offer[] } {
  const offers = offersOf(from, to);
  const only = obvious(offers);
  return only ? { edits: [mapEdit(to, only)], ask: [] } : { edits: [], ask: offers };
}

export function askMap(from: string, to: string, offers: readonly Offer[]): void {
  if (offers.length > 0) useMapAsk.setState({ ask: { from, to, offers } });
}

export function mapEdit(to: string, offer: Offer): PlanEdit {
  return { setTask: { id: to, field: `/inputs${step(offer.input)}`, value: print(offer.value) } };
}
