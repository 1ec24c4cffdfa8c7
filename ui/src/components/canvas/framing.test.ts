// The view about what is chosen, and all of a plan in it.
import { describe, expect, it } from "vitest";
import { bringIn, fitted, zoomAbout } from "./framing";
import { layOut } from "./layout";
import { CARD } from "./model";

const ids = Array.from({ length: 300 }, (_, ix) => `t${ix}`);
const edges = ids.slice(20).map((to, ix) => ({ from: ids[ix]!, to, look: "pending" as const, label: "" }));
const layout = layOut(ids, edges);
const placing = { source: [], layout, places: layout.positions, edges };
const box = { clientWidth: 800, clientHeight: 600, querySelector: () => null } as unknown as HTMLElement;

function flowAt(x: number, y: number, zoom: number) {
  let view = { x, y, zoom };
  return {
    now: () => view,
    flow: {
      getViewport: () => view,
      setViewport: (next: typeof view) => {
        view = next;
        return Promise.resolve(true);
      },
    } as unknown as Parameters<typeof zoomAbout>[0],
  };
}

const onScreen = (id: string, view: { x: number; y: number; zoom: number }) => {
  const at = placing.places.get(id)!;
  return { x: at.x * view.zoom + view.x, y: at.y * view.zoom + view.y, width: CARD.width * view.zoom };
};

describe("the view", () => {
  it("fits all of a large plan, at first no smaller than can be read", () => {
    const all = fitted(placing, undefined, box, 0.02)!;
    for (const id of ["t0", "t299"]) {
      const { y } = onScreen(id, all);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThan(600);
    }
    expect(fitted(placing, undefined, box, 0.12)!.zoom).toBe(0.12);
  });

  it("grows about the chosen card, which stays in view whole", () => {
    const start = placing.places.get("t150")!;
    const { flow, now } = flowAt(700 - start.x, 500 - start.y, 1);
    bringIn(["t150"], placing, flow, box);
    for (let n = 0; n < 4; n++) zoomAbout(flow, now().zoom * 1.25, box, placing, ["t150"]);
    const { x, y, width } = onScreen("t150", now());
    expect([x >= 0, x + width <= 800, y >= 0, y <= 600]).toEqual([true, true, true, true]);
  });

  it("grows about its own middle where the chosen card is elsewhere", () => {
    const { flow, now } = flowAt(0, 0, 1);
    zoomAbout(flow, 2, box, placing, ["t299"]);
    expect(now()).toEqual({ x: -400, y: -300, zoom: 2 });
  });
});
