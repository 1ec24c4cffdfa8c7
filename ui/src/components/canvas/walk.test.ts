// Keys on the canvas follow edges and waves.
import { describe, expect, it } from "vitest";
import { layOut } from "./layout";
import type { CanvasEdge } from "./model";
import { runOrder, stepFrom } from "./walk";

const ids = ["a", "b", "c", "d"];
const edges = ["a>c", "b>c", "c>d"].map<CanvasEdge>((e) => ({ from: e[0]!, to: e[2]!, look: "pending", label: "" }));
const layout = layOut(ids, edges);
const placing = { source: [], layout, places: layout.positions, edges };
const press = (key: string, from: string | null, shiftKey = false) =>
  stepFrom(from, { key, shiftKey, ctrlKey: false, altKey: false, metaKey: false }, placing);

describe("walking", () => {
  it("goes down and up along edges, sideways within the wave", () => {
    expect(press("ArrowDown", "a")?.id).toBe("c");
    expect(press("ArrowUp", "d")?.id).toBe("c");
    expect(press("ArrowRight", "a")?.id).toBe("b");
    expect(press("ArrowRight", "b")).toBeNull();
  });

  it("tabs in run order and leaves the canvas at its end", () => {
    expect(runOrder(placing)).toEqual(["a", "b", "c", "d"]);
    expect(press("Tab", null)?.id).toBe("a");
    expect(press("Tab", "c")?.id).toBe("d");
    expect(press("Tab", "d")).toBeNull();
    expect(press("Tab", "a", true)).toBeNull();
  });

  it("opens with Enter", () => {
    expect(press("Enter", "b")).toEqual({ id: "b", open: true });
    expect(press("Enter", null)).toBeNull();
  });
});
