// Making a connection: with the one input that it can only mean, or with the question which output goes where.
import { create } from "zustand";
import type { PlanEdit } from "../../ipc/bindings";
import { type JsonObject, objectOf, print, step, tryParse } from "../../ipc/json";
import { edit, useDraft } from "../../state/draft";
import { useTools } from "../../state/tools";
import { type Offer, obvious, offersFor } from "./rules/mapping";
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
  const offers = offersFor(documentOf(from), documentOf(to), useTools.getState().tools ?? []);
  const only = obvious(offers);
  const edits: PlanEdit[] = [{ connect: { from, to } }, ...stay(from, to)];
  if (only) edits.push(mapEdit(to, only));
  if ((await edit(edits)) && !only && offers.length > 0) useMapAsk.setState({ ask: { from, to, offers } });
}

/** A card that was put by hand comes among the others with its first connection; they need not make room for it. */
function stay(from: string, to: string): PlanEdit[] {
  const { view } = useDraft.getState();
  const isPlaced = view?.tasks.some((task) => (task.id === from || task.id === to) && task.position !== null);
  const positions = view && isPlaced ? staying(view, [], [{ from, to }]) : [];
  return positions.length > 0 ? [{ move: { positions } }] : [];
}

/** For a task that has just been added behind another one. */
export async function mapNew(from: string, to: string): Promise<void> {
  const offers = offersFor(documentOf(from), documentOf(to), useTools.getState().tools ?? []);
  const only = obvious(offers);
  if (only) await edit([mapEdit(to, only)]);
  else if (offers.length > 0) useMapAsk.setState({ ask: { from, to, offers } });
}

export function mapEdit(to: string, offer: Offer): PlanEdit {
  return { setTask: { id: to, field: `/inputs${step(offer.input)}`, value: print(offer.value) } };
}
