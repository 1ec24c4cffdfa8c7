// Keys on the canvas: arrows follow edges, Tab goes in run order, Enter opens. Pure.
import { directionNow } from "./direction";
import type { Placing } from "./flow";

type Key = { key: string; shiftKey: boolean; ctrlKey: boolean; altKey: boolean; metaKey: boolean };
export type Step = { id: string; open: boolean };

/** Null: the key means nothing here, or leaves the canvas (Tab after the last task). */
export function stepFrom(active: string | null, event: Key, placing: Placing): Step | null {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const order = runOrder(placing);
  const go = (id: string | undefined) => (id === undefined ? null : { id, open: false });
  if (event.key === "Enter") return active === null ? null : { id: active, open: true };
  if (event.key === "Tab") {
    const here = active === null ? -1 : order.indexOf(active);
    if (active === null && event.shiftKey) return null;
    return go(order[here + (event.shiftKey ? -1 : 1)]);
  }
  if (event.key === "Home") return go(order[0]);
  if (event.key === "End") return go(order[order.length - 1]);
  if (!event.key.startsWith("Arrow") || event.shiftKey) return null;
  if (active === null) return go(order[0]);
  return go(neighbour(active, event.key, placing));
}

/** Across the way that the plan runs: where a card lies in its wave. */
function acrossOf(placing: Placing, id: string): number {
  const place = placing.places.get(id);
  return (directionNow() === "down" ? place?.x : place?.y) ?? 0;
}

/** By wave, then left to right (or down): the order in which a person reads the plan. */
export function runOrder(placing: Placing): string[] {
  const { layout, places } = placing;
  const ids = [...places.keys()];
  const wave = (id: string) => layout.waves.get(id) ?? 0;
  return ids.sort((a, b) => wave(a) - wave(b) || acrossOf(placing, a) - acrossOf(placing, b));
}

/** To a parent, to a child, and to the one before in the wave; the fourth arrow goes to the one after. */
const KEYS = {
  down: ["ArrowUp", "ArrowDown", "ArrowLeft"],
  right: ["ArrowLeft", "ArrowRight", "ArrowUp"],
} as const;

function neighbour(active: string, key: string, placing: Placing): string | undefined {
  const { edges, places, layout } = placing;
  const [up, down, left] = KEYS[directionNow()];
  const across = (id: string) => acrossOf(placing, id);
  const here = across(active);
  const nearest = (ids: string[]) => ids.sort((a, b) => Math.abs(across(a) - here) - Math.abs(across(b) - here))[0];
  if (key === up) return nearest(edges.filter((e) => e.to === active).map((e) => e.from));
  if (key === down) return nearest(edges.filter((e) => e.from === active).map((e) => e.to));
  const mates = [...places.keys()].filter((id) => layout.waves.get(id) === layout.waves.get(active));
  const side = mates.filter((id) => (key === left ? across(id) < here : across(id) > here));
  return nearest(side);
}
