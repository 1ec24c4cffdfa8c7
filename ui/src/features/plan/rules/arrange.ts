// Lining cards up: by an edge or a middle, evenly apart, or in waves where they stand. Pure; the answer is what moves.
import { type Link, layOut } from "../../../components/canvas/layout";
import { CARD, GAP, type Place, SNAP } from "../../../components/canvas/model";
import { bottomOf, boundsOf } from "../../../components/canvas/places";
import type { Placed } from "../../../ipc/bindings";

export type Alignment = "left" | "centre" | "right" | "top" | "middle" | "bottom";
type Places = ReadonlyMap<string, Place>;

/** All cards are equally wide; only a map is higher. */
export function align(places: Places, ids: readonly string[], how: Alignment): Placed[] {
  const cards = known(places, ids);
  const box = boundsOf(cards.map((c) => c.at));
  const x = { left: box.x, centre: box.x + (box.width - CARD.width) / 2, right: box.x + box.width - CARD.width };
  const yOf = (how: "top" | "middle" | "bottom", height: number) =>
    ({ top: box.y, middle: box.y + (box.height - height) / 2, bottom: box.y + box.height - height })[how];
  const moved = cards.map(({ id, at }) =>
    how === "left" || how === "centre" || how === "right"
      ? { id, x: snap(x[how]), y: at.y }
      : { id, x: at.x, y: snap(yOf(how, bottomOf(at) - at.y)) },
  );
  return changed(places, apart(places, moved, how === "left" || how === "centre" || how === "right" ? "y" : "x"));
}

/** Cards that would come to lie over each other go on, one after the other. */
function apart(places: Places, cards: Placed[], axis: "x" | "y"): Placed[] {
  const sizeOf = (id: string) => (axis === "x" ? CARD.width : (places.get(id)?.height ?? CARD.height));
  const gap = axis === "x" ? GAP.column : GAP.wave - CARD.height;
  let least = Number.NEGATIVE_INFINITY;
  return [...cards]
    .sort((a, b) => a[axis] - b[axis])
    .map((card) => {
      const at = Math.max(card[axis], least);
      least = at + sizeOf(card.id) + gap;
      return { ...card, [axis]: at };
    });
}

/** The same room between neighbours; the two outermost stay. */
export function distribute(places: Places, ids: readonly string[], axis: "x" | "y"): Placed[] {
  const cards = known(places, ids).sort((a, b) => a.at[axis] - b.at[axis]);
  const [first, last] = [cards[0], cards[cards.length - 1]];
  if (!first || !last || cards.length < 3) return [];
  const step = (last.at[axis] - first.at[axis]) / (cards.length - 1);
  const moved = cards.map(({ id, at }, ix) => ({ id, ...at, [axis]: snap(first.at[axis] + step * ix) }));
  return changed(places, moved);
}

/** Only the chosen cards in waves, their top left corner where it was; all others stay. */
export function tidySet(places: Places, ids: readonly string[], links: readonly Link[]): Placed[] {
  const chosen = new Set(ids);
  const cards = known(places, ids);
  const laid = layOut(
    cards.sort((a, b) => a.at.y - b.at.y || a.at.x - b.at.x).map((c) => c.id),
    links.filter((l) => chosen.has(l.from) && chosen.has(l.to)),
    (id) => places.get(id)?.height ?? CARD.height,
  ).positions;
  const [was, is] = [boundsOf(cards.map((c) => c.at)), boundsOf(laid.values())];
  const moved = [...laid].map(([id, at]) => ({ id, x: snap(at.x - is.x + was.x), y: snap(at.y - is.y + was.y) }));
  return changed(places, moved);
}

function known(places: Places, ids: readonly string[]): { id: string; at: Place }[] {
  return ids.flatMap((id) => {
    const at = places.get(id);
    return at ? [{ id, at }] : [];
  });
}

function changed(places: Places, cards: readonly Placed[]): Placed[] {
  const rounded = cards.map(({ id, x, y }) => ({ id, x: Math.round(x), y: Math.round(y) }));
  return rounded.some(({ id, x, y }) => places.get(id)?.x !== x || places.get(id)?.y !== y) ? rounded : [];
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}
