// The compact layout: pills of 28 px, waves 52 apart, the order of each wave kept. Pure geometry, read-only.
import { layOut } from "./layout";
import type { CanvasEdge, CanvasTask, Point, Rect } from "./model";
import { edgeId } from "./model";
import { type Route, routeEdge } from "./route";

export const PILL = { width: 200, height: 28, gap: 16, wave: 52 } as const;
const MARGIN = 20;
const IN_A_LINE = 6;
/** Beyond that, edges run straight through what lies between: looking for a way round costs too much. */
const MOST_ROUTED_AROUND = 400;

export type CompactLayout = {
  places: ReadonlyMap<string, Point>;
  routes: ReadonlyMap<string, Route>;
  width: number;
  height: number;
};

type Shape = Pick<CanvasTask, "id" | "position">;

export function layOutCompact(
  tasks: readonly Shape[],
  edges: readonly Pick<CanvasEdge, "from" | "to">[],
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
    const count = Math.ceil(row.length / IN_A_LINE);
    const each = Math.ceil(row.length / count);
    for (let at = 0; at < row.length; at += each) lines.push(row.slice(at, at + each));
  }
  const places = placeLines(lines);
  const longest = Math.max(1, ...lines.map((line) => line.length));
  return {
    places,
    routes: routesOf(edges, places),
    width: longest * (PILL.width + PILL.gap) - PILL.gap + 2 * MARGIN,
    height: Math.max(1, lines.length) * PILL.wave - (PILL.wave - PILL.height) + 2 * MARGIN,
  };
}

function placeLines(lines: readonly (readonly string[])[]): Map<string, Point> {
  const pitch = PILL.width + PILL.gap;
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

function routesOf(edges: readonly Pick<CanvasEdge, "from" | "to">[], places: ReadonlyMap<string, Point>) {
  const rect = (at: Point): Rect => ({ ...at, width: PILL.width, height: PILL.height });
  const around = places.size <= MOST_ROUTED_AROUND ? [...places.values()].map(rect) : [];
  const routes = new Map<string, Route>();
  for (const { from, to } of edges) {
    const [a, b] = [places.get(from), places.get(to)];
    if (a && b) routes.set(edgeId(from, to), routeEdge(rect(a), rect(b), around, undefined, "down"));
  }
  return routes;
}
