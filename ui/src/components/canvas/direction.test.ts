// Plans that run to the right: the same drawing, turned; keys and edges follow.
import { afterEach, describe, expect, it } from "vitest";
import { useDirection } from "./direction";
import { layOut } from "./layout";
import { CARD, type CanvasEdge } from "./model";
import { placeAll } from "./places";
import { routeEdge } from "./route";
import { runOrder, stepFrom } from "./walk";

const tasks = [..."abcd"].map((id) => ({ id, position: null, kind: id === "c" ? "map" : "code" }));
const edges = ["a>c", "b>c", "c>d"].map<CanvasEdge>((e) => ({ from: e[0]!, to: e[2]!, look: "pending", label: "" }));
afterEach(() => useDirection.setState({ direction: "down" }));

describe("to the right", () => {
  it("lays waves from left to right, nothing over anything", () => {
    useDirection.setState({ direction: "right" });
    const places = placeAll(tasks, edges);
    const at = (id: string) => places.get(id)!;
    expect([at("a").x, at("b").x]).toEqual([0, 0]);
    expect(at("c").x).toBe(CARD.width + 56);
    expect(at("d").x).toBe(2 * (CARD.width + 56));
    expect(Math.abs(at("b").y - at("a").y)).toBeGreaterThanOrEqual(CARD.height + 24);
    expect(at("c").height).toBe(144);
    expect(at("c").y + 72).toBeCloseTo(at("d").y + CARD.height / 2, -1);
  });

  it("lets no two of thirty in one wave touch, maps among them", () => {
    useDirection.setState({ direction: "right" });
    const many = Array.from({ length: 30 }, (_, n) => ({ id: `t${n}`, position: null, kind: n % 7 ? "code" : "map" }));
    const places = [...placeAll(many, []).values()];
    const hit = places.some((a, i) =>
      places.some(
        (b, j) =>
          i < j &&
          Math.abs(a.x - b.x) < CARD.width &&
          a.y < b.y + (b.height ?? CARD.height) &&
          b.y < a.y + (a.height ?? CARD.height),
      ),
    );
    expect(hit).toBe(false);
  });

  it("draws an edge out of the right side into the left one", () => {
    const from = { x: 0, y: 0, ...CARD };
    const to = { x: 272, y: 96, ...CARD };
    const { path, arrow } = routeEdge(from, to, [], undefined, "right");
    expect(path.startsWith(`M${CARD.width} ${CARD.height / 2}`)).toBe(true);
    expect(arrow).toContain(`L267 ${96 + CARD.height / 2}`);
    expect(routeEdge(from, to, []).path.startsWith(`M${CARD.width / 2} ${CARD.height}`)).toBe(true);
  });

  it("turns the arrow keys with it", () => {
    useDirection.setState({ direction: "right" });
    const ids = tasks.map((task) => task.id);
    const layout = layOut(ids, edges);
    const placing = { source: [], layout, places: layout.positions, edges };
    const press = (key: string, from: string) =>
      stepFrom(from, { key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false }, placing)?.id;
    expect(press("ArrowRight", "a")).toBe("c");
    expect(press("ArrowLeft", "d")).toBe("c");
    expect(press("ArrowDown", "a")).toBe("b");
    expect(runOrder(placing)).toEqual(ids);
  });
});
