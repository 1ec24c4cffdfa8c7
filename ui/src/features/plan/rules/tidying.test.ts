// Tidying: what a person has put stays until nothing else would move, order in a wave is kept, and the better drawing wins.
// The layout itself is the worker's, run here in this thread.

import ELK from "elkjs/lib/elk.bundled.js";
import type { ElkNode } from "elkjs/lib/elk-api";
import { describe, expect, it } from "vitest";
import { costOf } from "../../../components/canvas/cost";
import { graphOf, read } from "../../../components/canvas/elk";
import { layOut } from "../../../components/canvas/layout";
import { CARD, GAP } from "../../../components/canvas/model";
import type { DraftView } from "../../../ipc/bindings";
import { viewOf } from "../../../ipc/demo/draft";
import { applyEdit } from "../../../ipc/demo/edits";
import { parse } from "../../../ipc/json";
import { type Lay, putByHand, tidying } from "./tidying";

const elk = new ELK();
const lay: Lay = async (ids, links, heightOf, kept) => {
  const laid = (await elk.layout(graphOf(ids, links, heightOf, kept, "down"))) as ElkNode;
  return read(laid, ids, links, heightOf, "down");
};
const code = (id: string, dependencies: string[] = []) =>
  `{"id":"${id}","task_type":"code","instruction":"x","source":"return 1","dependencies":${JSON.stringify(dependencies)}}`;
const planOf = (tasks: string[], more = "") =>
  viewOf("r", "R", 1, null, parse(`{"tasks":[${tasks.join(",")}]${more}}`), {});
const tidied = async (view: DraftView, all = false) => {
  const { edits, stayed } = await tidying(view, lay, all);
  return { view: viewOf("r", "R", 2, null, edits.reduce(applyEdit, parse(view.document)), {}), stayed, edits };
};
const at = (view: DraftView, id: string) => view.tasks.find((task) => task.id === id)?.position ?? null;
/** Edges that cross in any order but one: the usual layout is held up by the task that skips waves. */
const TANGLE = [
  code("a"),
  code("b"),
  code("c"),
  code("d"),
  code("e", ["d"]),
  code("f", ["c"]),
  code("g", ["b"]),
  code("h", ["a", "d"]),
  code("i", ["e", "h"]),
  code("j", ["f", "a"]),
  code("k", ["g", "i"]),
];

describe("tidying", () => {
  it("leaves what a person has put, lays the rest around it, and takes that too when nothing else would move", async () => {
    const view = planOf(TANGLE, ',"layout":{"positions":{"j":{"x":1000,"y":600}}}');
    const first = await tidied(view);
    expect([at(first.view, "j"), first.stayed]).toEqual([{ x: 1000, y: 600 }, 1]);
    expect([...putByHand(first.view).keys()]).toEqual(["j"]);
    const second = await tidied(first.view);
    expect(at(second.view, "j")?.y).not.toBe(600);
    expect(putByHand(second.view).size).toBe(0);
    expect((await tidied(second.view)).edits).toEqual([]);
  });

  it("of one card that was dragged off brings it home, as nothing else would move", async () => {
    const chain = [code("a"), code("b", ["a"]), code("c", ["b"])];
    const { view, edits } = await tidied(planOf(chain, ',"layout":{"positions":{"c":{"x":-700,"y":40}}}'));
    expect(edits).toHaveLength(2);
    expect(view.document).not.toContain("positions");
  });

  it("keeps the order that a person has given to a wave", async () => {
    const positions = ["d", "c", "b", "a"].map((id, ix) => `"${id}":{"x":${ix * 300},"y":0}`).join(",");
    const { view } = await tidied(planOf(TANGLE, `,"layout":{"positions":{${positions}}}`), true);
    const xs = ["d", "c", "b", "a"].map((id) => at(view, id)?.x ?? Number.NaN);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
  });

  it("stands waves as far apart as everywhere, and nothing on anything", async () => {
    const { view } = await tidied(planOf(TANGLE, ',"layout":{"positions":{"j":{"x":1000,"y":600}}}'), true);
    const places = view.tasks.map((task) => task.position ?? { x: Number.NaN, y: Number.NaN });
    expect(new Set(places.map(({ y }) => y % GAP.wave))).toEqual(new Set([0]));
    const isClear = places.every((a, i) =>
      places.every((b, j) => i === j || a.y !== b.y || Math.abs(a.x - b.x) >= CARD.width + GAP.column),
    );
    expect(isClear).toBe(true);
  });

  it("of a plan that lies well already changes nothing", async () => {
    expect((await tidying(planOf([code("a"), code("b", ["a"])]), lay)).edits).toEqual([]);
  });

  it("takes the drawing that is easier to read, and leaves wide waves in their lines", async () => {
    const name = (wave: number, n: number) => `t${wave * 6 + (n % 6)}`;
    const ids = Array.from({ length: 60 }, (_, n) => `t${n}`);
    const above = (n: number) => [name(Math.floor(n / 6) - 1, n * 5), name(Math.floor(n / 6) - 1, n * 5 + 2)];
    const view = planOf(ids.map((id, n) => code(id, n < 6 ? [] : above(n))));
    const usual = costOf(layOut(ids, view.edges), view.edges);
    const better = costOf(await lay(ids, view.edges, () => CARD.height, new Map()), view.edges);
    expect(better.cost).toBeLessThan(usual.cost * 0.9);
    expect((await tidying(view, lay)).edits.length).toBeGreaterThan(0);
    const fan = planOf([code("root"), ...ids.map((id) => code(id, ["root"]))]);
    expect((await tidying(fan, lay)).edits).toEqual([]);
  });
});
