// Keys on the canvas: arrows follow edges, Tab goes in run order, Enter opens. Pure.
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

/** By wave, then left to right: the order in which a person reads the plan. */
export function runOrder(placing: Placing): string[] {
  const { layout, places } = placing;
  const ids = [...places.keys()];
  const wave = (id: string) => layout.waves.get(id) ?? 0;
  return ids.sort((a, b) => wave(a) - wave(b) || (places.get(a)?.x ?? 0) - (places.get(b)?.x ?? 0));
}

function neighbour(active: string, key: string, placing: Placing): string | undefined {
  const { edges, places, layout } = placing;
  const x = places.get(active)?.x ?? 0;
  const nearest = (ids: string[]) =>
    ids.sort((a, b) => Math.abs((places.get(a)?.x ?? 0) - x) - Math.abs((places.get(b)?.x ?? 0) - x))[0];
  if (key === "ArrowUp") return nearest(edges.filter((e) => e.to === active).map((e) => e.from));
  if (key === "ArrowDown") return nearest(edges.filter((e) => e.from === active).map((e) => e.to));
  const mates = [...places.keys()].filter((id) => layout.waves.get(id) === layout.waves.get(active));
  const side = mates.filter((id) =>
    key === "ArrowLeft" ? (places.get(id)?.x ?? 0) < x : (places.get(id)?.x ?? 0) > x,
  );
  return nearest(side);
}
