// Places: hand-made ones stay, laid ones keep clear of them, sets find room.
import { describe, expect, it } from "vitest";
import { powerOf, STILL_LINEAR } from "../../../tests/growth";
import { CARD, GAP } from "./model";
import { boundsOf, clearOf, placeAll } from "./places";

const task = (id: string, position: { x: number; y: number } | null = null) => ({ id, position });

describe("places", () => {
  it("leaves what a person put where it is and lays the others clear of it", () => {
    const places = placeAll([task("a", { x: 0, y: GAP.wave }), task("b"), task("c")], [{ from: "b", to: "c" }]);
    expect(places.get("a")).toEqual({ x: 0, y: GAP.wave });
    const [b, c] = [places.get("b")!, places.get("c")!];
    expect(b).toEqual({ x: 0, y: 0 });
    expect(c.y).toBe(GAP.wave);
    expect(c.x).toBeGreaterThanOrEqual(CARD.width);
  });

  it("finds room for a set beside what is there", () => {
    const moved = clearOf(
      [
        { x: 8, y: 8 },
        { x: 8, y: 120 },
      ],
      [{ x: 0, y: 120 }],
    );
    expect(moved).toEqual({ x: CARD.width + GAP.column, y: 0 });
    expect(clearOf([{ x: 900, y: 0 }], [{ x: 0, y: 0 }])).toEqual({ x: 0, y: 0 });
  });

  it("bounds nothing by nothing", () => {
    expect(boundsOf([])).toEqual({ x: 0, y: 0, width: 0, height: 0 });
    expect(
      boundsOf([
        { x: 10, y: 20 },
        { x: 0, y: 50 },
      ]),
    ).toEqual({ x: 0, y: 20, width: CARD.width + 10, height: CARD.height + 30 });
  });

  it("places ten thousand of them, half by hand on one heap, in time that grows with their number", () => {
    const tasks = (length: number) =>
      Array.from({ length }, (_, n) => task(`t${n}`, n % 2 ? { x: (n % 97) * 8, y: n } : null));
    expect(placeAll(tasks(10_000), []).size).toBe(10_000);
    expect(powerOf(tasks, (given) => placeAll(given, []))).toBeLessThan(STILL_LINEAR);
  });
});
