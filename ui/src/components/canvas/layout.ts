// Where cards lie when nobody has moved them: waves from top to bottom, parents over children (or from left to right, when
// all of this is turned); a wide wave is laid like bricks, in several lines. Pure, and linear but for the sorting inside a wave; it runs in a few milliseconds for a
// thousand tasks, so it needs no worker.
import { type Direction, directionNow } from "./direction";
import { CARD, GAP, type Place, placeOf, SNAP } from "./model";

export type Link = { from: string; to: string };

export type Layout = {
  positions: Map<string, Place>;
  /** 1 for the tasks without parents. Tasks in a loop get a wave too, as if the edge that closes it were not there. */
  waves: Map<string, number>;
  /** For an edge that passes by other waves: where its long part should run (x; y where plans run to the right). Key `from→to`. */
  lanes: Map<string, number>;
};

type Slot = {
  id: string | null;
  edge: string | null;
  wave: number;
  /** Where a wave has several lines: in which, from 0, and of how many. */
  line: number;
  lines: number;
  /** How much room it takes across the way that the plan runs, and along it. */
  across: number;
  along: number;
  centre: number;
  up: Slot[];
  down: Slot[];
  sort: number;
};

const LANE = 24;
const SWEEPS = 4;
const MOST_LANES_PER_TASK = 4;

/** What differs by the direction: sizes of the usual card, gaps along and between the lines of a wave, cards in one line. */
type Ways = { across: number; along: number; wave: number; line: number; inALine: number; leastInALine: number };
const WAYS: Record<Direction, Ways> = {
  down: {
    across: CARD.width,
    along: CARD.height,
    wave: GAP.wave - CARD.height,
    line: GAP.line - CARD.height,
    inALine: 4,
    leastInALine: 3,
  },
  right: { across: CARD.height, along: CARD.width, wave: GAP.columns, line: 24, inALine: 8, leastInALine: 5 },
};

export type HeightOf = (id: string) => number;
const usual: HeightOf = () => CARD.height;

/** Where a card, or the long edge that passes a wave there, stands in its wave: only the order of these counts. */
export type Order = (slot: { id: string | null; edge: string | null; wave: number }) => number;

/** With an order that is given the cards stand in that; else in one that is found quickly. */
export function layOut(
  ids: readonly string[],
  links: readonly Link[],
  heightOf: HeightOf = usual,
  direction: Direction = directionNow(),
  order: Order | null = null,
): Layout {
  const waves = wavesOf(ids, links);
  const sizeOf = (id: string) =>
    direction === "down" ? { across: CARD.width, along: heightOf(id) } : { across: heightOf(id), along: CARD.width };
  const ways = WAYS[direction];
  const rows = slotsOf(ids, links, waves, sizeOf);
  if (order) for (const row of rows) row.sort((a, b) => order(a) - order(b));
  else for (let sweep = 0; sweep < SWEEPS; sweep++) orderRows(rows, sweep % 2 === 0);
  for (const row of rows) layBricks(row, ways);
  placeRows(rows);
  anchor(rows, ids[0]);
  return read(rows, waves, direction);
}

/** The plan's first task always lies at 0, so that an edit elsewhere does not push the whole drawing aside. */
function anchor(rows: Slot[][], first: string | undefined): void {
  const origin = rows.flat().find((slot) => slot.id === first);
  if (!origin) return;
  const dx = origin.across / 2 - origin.centre;
  for (const row of rows) for (const slot of row) slot.centre += dx;
}

/** Kahn's algorithm. Where only loops are left, the first task in order is let through, so that all get a wave. */
export function wavesOf(ids: readonly string[], links: readonly Link[]): Map<string, number> {
  const waves = new Map<string, number>();
  const open = new Map<string, number>(ids.map((id) => [id, 0]));
  const children = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) {
    if (from === to || !open.has(from) || !open.has(to)) continue;
    open.set(to, (open.get(to) ?? 0) + 1);
    children.get(from)?.push(to);
  }
  const least = new Map<string, number>();
  const queue = ids.filter((id) => open.get(id) === 0);
  let forced = 0;
  for (let ix = 0; waves.size < ids.length; ix++) {
    while (ix >= queue.length) {
      const next = ids[forced++];
      if (next === undefined) return waves;
      if (!waves.has(next)) queue.push(next);
    }
    const id = queue[ix]!;
    if (waves.has(id)) continue;
    const wave = least.get(id) ?? 1;
    waves.set(id, wave);
    for (const child of children.get(id) ?? []) {
      if (waves.has(child)) continue;
      least.set(child, Math.max(least.get(child) ?? 1, wave + 1));
      const left = (open.get(child) ?? 1) - 1;
      open.set(child, left);
      if (left === 0) queue.push(child);
    }
  }
  return waves;
}

/** One slot for each card, and one for each wave that a long edge passes. */
function slotsOf(
  ids: readonly string[],
  links: readonly Link[],
  waves: Map<string, number>,
  sizeOf: (id: string) => { across: number; along: number },
): Slot[][] {
  const rows: Slot[][] = [];
  const add = (id: string | null, edge: string | null, wave: number) => {
    const size = id === null ? { across: LANE, along: 0 } : sizeOf(id);
    const slot: Slot = { id, edge, wave, line: 0, lines: 1, ...size, centre: 0, up: [], down: [], sort: 0 };
    while (rows.length < wave) rows.push([]);
    rows[wave - 1]!.push(slot);
    return slot;
  };
  const cards = new Map(ids.map((id) => [id, add(id, null, waves.get(id) ?? 1)]));
  const join = (above: Slot, below: Slot) => {
    above.down.push(below);
    below.up.push(above);
  };
  let lanesLeft = ids.length * MOST_LANES_PER_TASK;
  for (const { from, to } of links) {
    const [a, b] = [cards.get(from), cards.get(to)];
    if (!a || !b || a.wave >= b.wave) continue;
    const passed = b.wave - a.wave - 1;
    let above = a;
    if (passed <= lanesLeft) {
      lanesLeft -= passed;
      for (let wave = a.wave + 1; wave < b.wave; wave++) {
        const lane = add(null, `${from}→${to}`, wave);
        join(above, lane);
        above = lane;
      }
      join(above, b);
    }
  }
  return rows;
}

/** Sorts each wave by the middle of its neighbours in the wave before (or after), ties as they were. */
function orderRows(rows: Slot[][], downwards: boolean): void {
  const sequence = downwards ? rows : [...rows].reverse();
  for (const row of sequence) {
    row.forEach((slot, ix) => {
      const near = downwards ? slot.up : slot.down;
      slot.sort = near.length > 0 ? mean(near.map((n) => n.sort)) : ix / Math.max(1, row.length - 1);
    });
    row.sort((a, b) => a.sort - b.sort);
    row.forEach((slot, ix) => {
      slot.sort = row.length > 1 ? ix / (row.length - 1) : 0.5;
    });
  }
}

/**
 * A wave too wide to be read becomes lines of about as many cards as there are lines, taken in turn, so that each card
 * leads down between two of the line below.
 */
function layBricks(row: Slot[], { inALine: most, leastInALine }: Ways): void {
  const cards = row.filter((slot) => slot.id !== null);
  if (cards.length <= most) return;
  const inALine = Math.max(leastInALine, Math.ceil(Math.sqrt(cards.length)));
  const lines = Math.ceil(cards.length / inALine);
  cards.forEach((card, ix) => {
    card.lines = lines;
    card.line = ix % lines;
  });
}

function placeRows(rows: Slot[][]): void {
  for (const row of rows)
    spread(
      row,
      row.map(() => 0),
    );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of rows)
      spread(
        row,
        row.map((s) => wish(s, s.up)),
      );
    for (const row of [...rows].reverse())
      spread(
        row,
        row.map((s) => wish(s, s.down)),
      );
  }
  for (const row of rows) {
    spread(
      row,
      row.map((s) => wish(s, [...s.up, ...s.down])),
    );
    gather(row);
  }
}

/** Cards without any edge stand beside the others of their wave, not where they happened to be at first. */
function gather(row: Slot[]): void {
  const isAlone = (slot: Slot) => slot.up.length + slot.down.length === 0;
  const first = row.findIndex((slot) => !isAlone(slot));
  for (let ix = Math.max(first, 0) + 1; ix < row.length; ix++) {
    if (isAlone(row[ix]!)) row[ix]!.centre = row[ix - 1]!.centre + distance(row[ix - 1]!, row[ix]!);
  }
  for (let ix = first - 1; ix >= 0; ix--) row[ix]!.centre = row[ix + 1]!.centre - distance(row[ix]!, row[ix + 1]!);
}

function distance(a: Slot, b: Slot): number {
  if (a.lines > 1 && b.lines > 1) return (Math.max(a.across, b.across) + GAP.column) / a.lines;
  return (a.across + b.across) / 2 + GAP.column;
}

function wish(slot: Slot, near: Slot[]): number {
  return near.length > 0 ? mean(near.map((n) => n.centre)) : slot.centre;
}

/** The least squares nearest places to the wished ones that keep order and distance (pool adjacent violators). */
function spread(row: Slot[], wishes: number[]): void {
  const offsets: number[] = [];
  let offset = 0;
  row.forEach((slot, ix) => {
    if (ix > 0) offset += distance(row[ix - 1]!, slot);
    offsets.push(offset);
  });
  const blocks: { sum: number; weight: number; from: number; to: number }[] = [];
  row.forEach((slot, ix) => {
    const weight = slot.id === null ? 3 : 1;
    blocks.push({ sum: (wishes[ix]! - offsets[ix]!) * weight, weight, from: ix, to: ix });
    while (blocks.length > 1) {
      const [a, b] = [blocks[blocks.length - 2]!, blocks[blocks.length - 1]!];
      if (a.sum / a.weight <= b.sum / b.weight) break;
      blocks.splice(-2, 2, { sum: a.sum + b.sum, weight: a.weight + b.weight, from: a.from, to: b.to });
    }
  });
  for (const block of blocks) {
    for (let ix = block.from; ix <= block.to; ix++) row[ix]!.centre = block.sum / block.weight + offsets[ix]!;
  }
}

function read(rows: Slot[][], waves: Map<string, number>, direction: Direction): Layout {
  const ways = WAYS[direction];
  const positions = new Map<string, Place>();
  const passed = new Map<string, number[]>();
  let top = 0;
  for (const row of rows) {
    const lines = row.reduce((most, slot) => Math.max(most, slot.lines), 1);
    const tops = lineTops(row, lines, ways);
    const least = Array.from({ length: lines }, () => Number.NEGATIVE_INFINITY);
    for (const slot of row) {
      const x = Math.max(least[slot.line]!, Math.round((slot.centre - slot.across / 2) / SNAP) * SNAP);
      least[slot.line] = x + slot.across + GAP.column;
      const y = top + tops[slot.line]!;
      if (slot.id !== null)
        positions.set(
          slot.id,
          direction === "down" ? placeOf({ x, y }, slot.along) : placeOf({ x: y, y: x }, slot.across),
        );
      else if (slot.edge) passed.set(slot.edge, [...(passed.get(slot.edge) ?? []), x + LANE / 2]);
    }
    top += tops[lines]! + ways.wave - ways.line;
  }
  const lanes = new Map<string, number>();
  for (const [edge, xs] of passed) lanes.set(edge, xs.sort((a, b) => a - b)[Math.floor(xs.length / 2)]!);
  return { positions, waves, lanes };
}

/** Where each line of a wave begins, and after the last one where the next would: the highest card makes the line. */
function lineTops(row: readonly Slot[], lines: number, ways: Ways): number[] {
  const heights = Array.from({ length: lines }, () => ways.along);
  for (const slot of row) heights[slot.line] = Math.max(heights[slot.line]!, slot.along);
  const tops = [0];
  for (const height of heights) tops.push(tops[tops.length - 1]! + height + ways.line);
  return tops;
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
}
