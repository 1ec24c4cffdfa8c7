// How hard a drawing is to read: how far its edges run, and how often they cross. Pure; it draws nothing.
import type { Layout, Link } from "./layout";
import { CARD, edgeId, type Place, type Point, type Rect } from "./model";
import { routePoints } from "./route";

/** A crossing is as bad as so many pixels of an edge. */
const CROSSING = 400;
const MOST_ROUTED_AROUND = 400;

export type Cost = { length: number; crossings: number; cost: number };
type Drawn = Link & { ix: number; points: readonly Point[] };
/** A level or an upright part of an edge: where it lies, and from where to where it runs. */
type Part = { at: number; from: number; to: number; edge: Drawn };

export function costOf({ positions, lanes }: Layout, links: readonly Link[]): Cost {
  const rects = new Map([...positions].map(([id, at]) => [id, rectOf(at)]));
  const cards = rects.size <= MOST_ROUTED_AROUND ? [...rects.values()] : [];
  const drawn = links.flatMap<Drawn>(({ from, to }, ix) => {
    const [a, b] = [rects.get(from), rects.get(to)];
    return a && b ? [{ from, to, ix, points: routePoints(a, b, cards, lanes.get(edgeId(from, to))) }] : [];
  });
  const parts = drawn.flatMap((edge) => partsOf(edge));
  const length = parts.reduce((sum, { part }) => sum + part.to - part.from, 0);
  const crossings = crossingsOf(parts, links.length);
  return { length, crossings, cost: length + crossings * CROSSING };
}

type Turned = { isLevel: boolean; part: Part };

function partsOf(edge: Drawn): Turned[] {
  return edge.points.slice(1).map((b, ix) => {
    const a = edge.points[ix] ?? b;
    const isLevel = a.y === b.y;
    const [from, to] = isLevel ? [a.x, b.x] : [a.y, b.y];
    return { isLevel, part: { at: isLevel ? a.y : a.x, from: Math.min(from, to), to: Math.max(from, to), edge } };
  });
}

function crossingsOf(parts: readonly Turned[], edges: number): number {
  const of = (isLevel: boolean) => parts.flatMap((one) => (one.isLevel === isLevel ? [one.part] : []));
  const upright = of(false).sort((a, b) => a.at - b.at);
  const met = new Set<number>();
  for (const part of of(true)) {
    for (const other of upright.slice(firstAfter(upright, part.from))) {
      if (other.at >= part.to) break;
      if (other.from >= part.at || other.to <= part.at) continue;
      // Edges of one task run together for a while, and part: that is no crossing.
      const [a, b] = [part.edge, other.edge];
      if (a.from !== b.from && a.to !== b.to) met.add(Math.min(a.ix, b.ix) * edges + Math.max(a.ix, b.ix));
    }
  }
  return met.size;
}

function firstAfter(parts: readonly Part[], at: number): number {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rectOf({ x, y, height = CARD.height }: Place): Rect {
  return { x, y, width: CARD.width, height };
}
