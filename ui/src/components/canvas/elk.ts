// Lays a plan out in layers by the Eclipse Layout Kernel, in a worker of its own, so that the window stays alive meanwhile.
// The worker is begun when it is first asked, and let go of when it has had nothing to do for a while. It knows no plan.
// Sugiyama, Tagawa, Toda: Methods for Visual Understanding of Hierarchical System Structures, 1981.
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import { type Direction, directionNow } from "./direction";
import { type HeightOf, type Layout, type Link, wavesOf } from "./layout";
import { CARD, GAP, type Place, type Point, placeOf, SNAP } from "./model";

const MOST_MS = 20_000;
const IDLE_MS = 60_000;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.separateConnectedComponents": "false",
  "elk.spacing.nodeNode": String(GAP.column),
  // Edges that pass between two cards have the middle of their gap.
  "elk.spacing.edgeNode": String(GAP.column / 2),
  "elk.layered.spacing.nodeNodeBetweenLayers": String(GAP.wave - CARD.height),
  "elk.layered.layering.strategy": "LONGEST_PATH_SOURCE",
  // By measurement the shortest edges, the fewest crossings after routing and the narrowest drawing of all its ways.
  "elk.layered.nodePlacement.strategy": "SIMPLE",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};

type Elk = { layout: (graph: ElkNode) => Promise<ElkNode>; terminateWorker: () => void };
let running: Promise<Elk> | null = null;
let idle = 0;

async function begin(): Promise<Elk> {
  const { default: ELK } = await import("elkjs/lib/elk-api");
  return new ELK({ workerUrl });
}

function end(): void {
  window.clearTimeout(idle);
  void running?.then((elk) => elk.terminateWorker());
  running = null;
}

/** `kept`: cards that keep their order inside a wave. Throws where no worker can run, or takes too long. */
export async function layByElk(
  ids: readonly string[],
  links: readonly Link[],
  heightOf: HeightOf,
  kept: ReadonlyMap<string, Point>,
): Promise<Layout> {
  const direction = directionNow();
  running ??= begin();
  window.clearTimeout(idle);
  let timer = 0;
  const tooLong = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new Error("the layout takes too long")), MOST_MS);
  });
  try {
    const elk = await running;
    const laid = await Promise.race([elk.layout(graphOf(ids, links, heightOf, kept, direction)), tooLong]);
    idle = window.setTimeout(end, IDLE_MS);
    return read(laid, ids, links, heightOf, direction);
  } catch (fault) {
    end();
    throw fault;
  } finally {
    window.clearTimeout(timer);
  }
}

export function graphOf(
  ids: readonly string[],
  links: readonly Link[],
  heightOf: HeightOf,
  kept: ReadonlyMap<string, Point>,
  direction: Direction,
): ElkNode {
  const there = new Set(ids);
  const semi: Record<string, string> =
    kept.size > 0 ? { "elk.layered.crossingMinimization.semiInteractive": "true" } : {};
  const children = ids.map((id) => {
    const at = kept.get(id);
    const position = at ? { layoutOptions: { "elk.position": `(${at.x},${at.y})` } } : {};
    return { id, width: CARD.width, height: heightOf(id), ...position };
  });
  const edges: ElkExtendedEdge[] = links
    .filter(({ from, to }) => from !== to && there.has(from) && there.has(to))
    .map(({ from, to }) => ({ id: `${from}→${to}`, sources: [from], targets: [to] }));
  const layoutOptions = { ...OPTIONS, ...semi, "elk.direction": direction === "down" ? "DOWN" : "RIGHT" };
  return { id: "plan", layoutOptions, children, edges };
}

/** Waves lie as far apart as everywhere; across, the cards lie where they were laid. */
export function read(
  laid: ElkNode,
  ids: readonly string[],
  links: readonly Link[],
  heightOf: HeightOf,
  direction: Direction,
): Layout {
  const waves = wavesOf(ids, links);
  const isDown = direction === "down";
  const along: number[] = [];
  for (const id of ids) {
    const wave = waves.get(id) ?? 1;
    along[wave] = Math.max(along[wave] ?? 0, isDown ? heightOf(id) : CARD.width);
  }
  const tops: number[] = [];
  let top = 0;
  for (let wave = 1; wave < along.length; wave++) {
    tops[wave] = top;
    top += (along[wave] ?? 0) + (isDown ? GAP.wave - CARD.height : GAP.columns);
  }
  const positions = new Map<string, Place>();
  for (const node of laid.children ?? []) {
    const across = snap((isDown ? node.x : node.y) ?? 0);
    const down = tops[waves.get(node.id) ?? 1] ?? 0;
    const at = isDown ? { x: across, y: down } : { x: down, y: across };
    positions.set(node.id, placeOf(at, heightOf(node.id)));
  }
  return { positions, waves, lanes: lanesOf(laid, isDown) };
}

/** Where the longest part of each edge runs, across the way that the plan runs. */
function lanesOf(laid: ElkNode, isDown: boolean): Map<string, number> {
  const lanes = new Map<string, number>();
  for (const edge of laid.edges ?? []) {
    const [section] = edge.sections ?? [];
    if (!section) continue;
    const points = [...(section.bendPoints ?? []), section.endPoint];
    let most = 0;
    let a = section.startPoint;
    for (const b of points) {
      const [length, turn, at] = isDown ? [b.y - a.y, b.x - a.x, b.x] : [b.x - a.x, b.y - a.y, b.y];
      a = b;
      if (turn !== 0 || Math.abs(length) <= most) continue;
      most = Math.abs(length);
      lanes.set(edge.id, at);
    }
  }
  return lanes;
}

function snap(n: number): number {
  return Math.round(n / SNAP) * SNAP;
}
