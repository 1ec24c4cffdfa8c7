// The compact layout: waves 52 apart, the order from left to right kept, wide waves in several lines, nothing on top of another.
import { describe, expect, it } from "vitest";
import { layOutCompact, PILL } from "./compact";

const task = (id: string, x: number | null = null) => ({ id, position: x === null ? null : { x, y: 0 } });

describe("the compact layout", () => {
  it("puts waves 52 apart and keeps the order that a person gave them", () => {
    const layout = layOutCompact(
      [task("a", 300), task("b", 0), task("c")],
      [
        { from: "a", to: "c" },
        { from: "b", to: "c" },
      ],
    );
    const [a, b, c] = ["a", "b", "c"].map((id) => layout.places.get(id));
    expect(b?.x).toBeLessThan(a?.x ?? 0);
    expect((c?.y ?? 0) - (a?.y ?? 0)).toBe(PILL.wave);
    expect(layout.routes.size).toBe(2);
  });

  it("lays a wide wave in several lines, none on another", () => {
    const tasks = Array.from({ length: 40 }, (_, ix) => task(`t${ix}`));
    const layout = layOutCompact(tasks, []);
    const seen = new Set([...layout.places.values()].map((at) => `${at.x} ${at.y}`));
    expect(seen.size).toBe(40);
    expect(layout.width).toBeLessThan(8 * (PILL.width + PILL.gap));
  });
});
