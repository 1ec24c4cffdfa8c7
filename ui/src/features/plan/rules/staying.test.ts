// What is seen stays where it is when something comes among it.
import { describe, expect, it } from "vitest";
import { GAP } from "../../../components/canvas/model";
import { placeAll } from "../../../components/canvas/places";
import { viewOf } from "../../../ipc/demo/draft";
import { applyEdit } from "../../../ipc/demo/edits";
import { MARGIN_REPORT } from "../../../ipc/demo/plan";
import { parse, put } from "../../../ipc/json";
import { placeUnder, staying } from "./staying";

const document = parse(MARGIN_REPORT);
const view = viewOf("r", "R", 1, null, document, {});
const before = placeAll(view.tasks, view.edges);

describe("staying", () => {
  it("keeps every card where it is though a newcomer is connected among them", () => {
    const links = [{ from: "normalise", to: "new" }];
    const positions = staying(view, [{ id: "new", position: { x: 900, y: 400 } }], links);
    expect(positions.length).toBeGreaterThan(0);
    const moved = viewOf("r", "R", 2, null, applyEdit(document, { move: { positions } }), {});
    const after = placeAll([...moved.tasks, { id: "new", position: { x: 900, y: 400 } }], [...moved.edges, ...links]);
    for (const [id, at] of before) expect(after.get(id)).toEqual(at);
  });
  it("keeps nothing where nothing would move", () => {
    expect(staying(view, [{ id: "new", position: { x: 2000, y: 0 } }], [])).toEqual([]);
  });
  it("finds a free place under a parent, but only in a plan that was arranged by hand", () => {
    expect(placeUnder(view, ["margins"])).toBeNull();
    const arranged = viewOf(
      "r",
      "R",
      1,
      null,
      put(document, "/layout/positions/get_rates", parse('{"x":0,"y":-200}')),
      {},
    );
    expect(placeUnder(arranged, ["get_rates"])).toEqual({ x: 0, y: GAP.wave - 200 });
    const margins = before.get("margins")!;
    const under = placeUnder(arranged, ["margins"])!;
    expect(under.y).toBe(margins.y + GAP.wave);
    expect(under.x).not.toBe(before.get("check_outliers")!.x);
    expect(placeUnder(arranged, [])).toBeNull();
  });
});
