// The layout by waves: nobody overlaps, parents stand above children, loops end, and it stays linear.
import { describe, expect, it } from "vitest";
import { powerOf, STILL_LINEAR } from "../../../tests/growth";
import { layOut, wavesOf } from "./layout";
import { CARD, GAP } from "./model";

const link = (text: string) => text.split(" ").map((pair) => ({ from: pair.split(">")[0]!, to: pair.split(">")[1]! }));
const overlaps = (positions: Map<string, { x: number; y: number }>) => {
  const all = [...positions.values()];
  return all.some((a, i) =>
    all.some((b, j) => i < j && Math.abs(a.x - b.x) < CARD.width && Math.abs(a.y - b.y) < CARD.height),
  );
};

describe("waves", () => {
  it("puts a task one wave below its lowest parent", () => {
    const waves = wavesOf(["a", "b", "c", "d"], link("a>b b>c a>c c>d"));
    expect([...waves.values()]).toEqual([1, 2, 3, 4]);
  });

  it("gives every task a wave though they form loops", () => {
    const waves = wavesOf(["a", "b", "c", "d"], link("a>b b>c c>b c>d"));
    expect(waves.size).toBe(4);
    expect(waves.get("d")).toBeGreaterThan(waves.get("c")!);
  });

  it("takes an edge to itself or to nowhere for nothing", () => {
    expect(wavesOf(["a"], link("a>a a>gone gone>a")).get("a")).toBe(1);
  });
});

describe("places", () => {
  it("never lays two cards over each other", () => {
    const ids = Array.from({ length: 60 }, (_, n) => `t${n}`);
    const links = ids.flatMap((to, n) =>
      [n * 7, n * 3].filter((k) => k % 60 < n).map((k) => ({ from: `t${k % 60}`, to })),
    );
    expect(overlaps(layOut(ids, links).positions)).toBe(false);
  });

  it("stands a lone child under the middle of its parents", () => {
    const { positions } = layOut(["a", "b", "c"], link("a>c b>c"));
    const middle = (positions.get("a")!.x + positions.get("b")!.x) / 2;
    expect(Math.abs(positions.get("c")!.x - middle)).toBeLessThanOrEqual(8);
    expect(positions.get("c")!.y).toBe(GAP.wave);
  });

  it("leaves the first task where it is when an edge comes elsewhere", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const before = layOut(ids, link("a>c b>c c>d"));
    const after = layOut(ids, link("a>c b>c c>d e>c e>d"));
    expect(before.positions.get("a")!.x).toBe(0);
    expect(after.positions.get("a")!.x).toBe(0);
  });

  it("keeps a way free for an edge that passes a wave", () => {
    const { positions, lanes } = layOut(["a", "b", "c"], link("a>b b>c a>c"));
    const lane = lanes.get("a→c")!;
    const b = positions.get("b")!;
    expect(lane < b.x || lane > b.x + CARD.width).toBe(true);
  });

  it("lays a wide wave like bricks, each card over a gap of the line below", () => {
    const ids = ["a", "b", "c", "d", "e", "child"];
    const { positions, waves } = layOut(ids, link("a>child b>child c>child d>child e>child"));
    const at = (id: string) => positions.get(id)!;
    expect([at("a").y, at("b").y, at("c").y, at("child").y]).toEqual([0, GAP.line, 0, GAP.line + GAP.wave]);
    expect(at("b").x - at("a").x).toBe((CARD.width + GAP.column) / 2);
    expect(at("e").x + CARD.width - at("a").x).toBe(3 * CARD.width + 2 * GAP.column);
    expect([waves.get("a"), waves.get("b"), waves.get("child")]).toEqual([1, 1, 2]);
    const wide = Array.from({ length: 100 }, (_, n) => `t${n}`);
    expect(overlaps(layOut(wide, []).positions)).toBe(false);
  });

  it("gathers cards without edges beside the others", () => {
    const { positions } = layOut(["a", "b", "c", "lone"], link("a>c b>c"));
    expect(positions.get("lone")!.x - positions.get("b")!.x).toBe(CARD.width + GAP.column);
  });

  it("lays out a chain of ten thousand without recursion, in time that grows with its length", () => {
    const chain = (length: number) => {
      const ids = Array.from({ length }, (_, n) => `t${n}`);
      return { ids, edges: ids.slice(1).map((to, n) => ({ from: `t${n}`, to })) };
    };
    const { ids, edges } = chain(10_000);
    expect(layOut(ids, edges).waves.get("t9999")).toBe(10_000);
    expect(powerOf(chain, (given) => layOut(given.ids, given.edges))).toBeLessThan(STILL_LINEAR);
  });
});
