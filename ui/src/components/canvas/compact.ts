// The compact layout: pills of 28 px, waves 52 apart, the order of each wave kept. Pure geometry, read-only.
import { layOut } from "./layout";
import type { CanvasEdge, CanvasTask, Point, Rect } from "./model";
import { edgeId } from "./model";
import { type Route, routeEdge } from "./route";

export const PILL = { width: 200, height: 28, gap: 16, wave: 52 } as const;
/** Of two plans beside each other, pills are narrower where there is little room. */
const NARROWEST = 140;
const MARGIN = 20;
const IN_A_LINE = 6;
/** From that width on, three pills of a plan beside another one stand in a line; under it two. */
const THREE = 470;
/** Beyond that, edges run straight through what lies between: looking for a way round costs too much. */
const MOST_ROUTED_AROUND = 400;

export type CompactLayout = {
  /** Of each pill. */
  pill: number;
  places: ReadonlyMap<string, Point>;
  routes: ReadonlyMap<string, Route>;
  width: number;
  height: number;
};

/** How much room there is, and how many pills stand in a line. */
export type Sizes = { room: number; line: number };

const ALONE: Sizes = { room: 0, line: IN_A_LINE };

/** The room counts in steps, so that a pane that is drawn wider is not laid out anew at each pixel. */
export function besideIn(width: number): Sizes {
  return { room: Math.floor(width / 24) * 24, line: width === 0 || width >= THREE ? 3 : 2 };
}

function pillIn(room: number, longest: number): number {
  if (room === 0) return PILL.width;
  const fits = Math.floor((room - 2 * MARGIN + PILL.gap) / longest) - PILL.gap;
  return Math.min(PILL.width, Math.max(NARROWEST, fits));
}

type Shape = Pick<CanvasTask, "id" | "position">;

export function layOutCompact(
  tasks: readonly Shape[],
  edges: readonly Pick<CanvasEdge, "from" | "to">[],
  { room, line: most }: Sizes = ALONE,
): CompactLayout {
  const ids = tasks.map((task) => task.id);
  const layout = layOut(ids, edges, undefined, "down");
  const byHand = new Map(tasks.map((task) => [task.id, task.position]));
  const across = (id: string) => byHand.get(id)?.x ?? layout.positions.get(id)?.x ?? 0;
  const waves = new Map<number, string[]>();
  for (const id of ids) {
    const wave = layout.waves.get(id) ?? 1;
    waves.set(wave, [...(waves.get(wave) ?? []), id]);
  }
  const lines: string[][] = [];
  for (const wave of [...waves.keys()].sort((a, b) => a - b)) {
    const row = (waves.get(wave) ?? []).sort((a, b) => across(a) - across(b));
    const count = Math.ceil(row.length / most);
    const each = Math.ceil(row.length / count);
    for (let at = 0; at < row.length; at += each) lines.push(row.slice(at, at + each));
  }
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const pill = pillIn(room, longest);
  const places = placeLines(lines, pill);
  return {
    pill,
    places,
    routes: routesOf(edges, places, pill),
    width: longest * (pill + PILL.gap) - PILL.gap + 2 * MARGIN,
    height: Math.max(1, lines.length) * PILL.wave - (PILL.wave - PILL.height) + 2 * MARGIN,
  };
}

function placeLines(lines: readonly (readonly string[])[], pill: number): Map<string, Point> {
  const pitch = pill + PILL.gap;
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const places = new Map<string, Point>();
  lines.forEach((line, row) => {
    const left = MARGIN + ((longest - line.length) * pitch) / 2;
    line.forEach((id, ix) => {
      places.set(id, { x: left + ix * pitch, y: MARGIN + row * PILL.wave });
    });
  });
  return places;
}

function routesOf(edges: readonly Pick<CanvasEdge, "from" | "to">[], places: ReadonlyMap<string, Point>, pill: number) {
  const rect = (at: Point): Rect => ({ ...at, width: pill, height: PILL.height });
  const around = places.size <= MOST_ROUTED_AROUND ? [...places.values()].map(rect) : [];
  const routes = new Map<string, Route>();
  for (const { from, to } of edges) {
    const [a, b] = [places.get(from), places.get(to)];
    if (a && b) routes.set(edgeId(from, to), routeEdge(rect(a), rect(b), around, undefined, "down"));
  }
  return routes;
}
