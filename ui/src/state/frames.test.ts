// What a map's frame shows of its items: a cell each while they are few, a handful of shares however many they are.
import { describe, expect, it } from "vitest";
import { placeAll } from "../components/canvas/places";
import type { DraftTask, TaskStatus, TaskView } from "../ipc/bindings";
import { cardOf, foldItems, frameOf, itemsOf, itemsText, stepItem } from "./frames";

const view = (id: string, status: TaskStatus) => ({ id, status }) as TaskView;
const map = (document: object): DraftTask =>
  ({ id: "each", taskType: "map", document: JSON.stringify(document) }) as DraftTask;

describe("items", () => {
  it("are taken in by their number, whatever their order, and inner tasks of theirs are not items", () => {
    const first = foldItems(new Map(), [
      view("each[2]", "RUNNING"),
      view("each[0]", "COMPLETED"),
      view("other", "READY"),
    ]);
    expect(first.get("each")).toEqual(["COMPLETED", undefined, "RUNNING"]);
    const second = foldItems(first, [view("each[2]", "FAILED"), view("each[1]/inner", "RUNNING")]);
    expect(second.get("each")).toEqual(["COMPLETED", undefined, "FAILED"]);
    expect(foldItems(second, [view("other", "COMPLETED")])).toBe(second);
  });

  it("do not fill the memory where an address lies", () => {
    expect(foldItems(new Map(), [view("each[999999999]", "RUNNING")]).size).toBe(0);
  });

  it("are a cell each up to 64", () => {
    const items = itemsOf(["COMPLETED", undefined, "RUNNING"]);
    expect(items).toMatchObject({ count: 3, over: 1, cells: ["COMPLETED", "PENDING", "RUNNING"], shares: [] });
  });

  it("are a few shares where there are ten thousand", () => {
    const states = Array.from(
      { length: 10_000 },
      (_, ix): TaskStatus => (ix < 9000 ? "COMPLETED" : ix < 9001 ? "FAILED" : "PENDING"),
    );
    const items = itemsOf(states);
    expect(items?.cells).toEqual([]);
    expect(items?.shares).toEqual([
      { status: "COMPLETED", count: 9000 },
      { status: "FAILED", count: 1 },
      { status: "PENDING", count: 999 },
    ]);
    expect(itemsText(states)).toBe("9,001 of 10,000 items over: 1 failed");
  });

  it("are gone through one by one, round and round, from the map on", () => {
    const now = new Map([["each", ["COMPLETED", "RUNNING"] as const]]);
    expect(stepItem(now, "each", 1)).toBe("each[0]");
    expect(stepItem(now, "each[1]", 1)).toBe("each[0]");
    expect(stepItem(now, "each[0]", -1)).toBe("each[1]");
    expect(stepItem(now, "other", 1)).toBeNull();
    expect(cardOf("each[1]")).toBe("each");
  });
});

describe("the frame", () => {
  it("says what runs for each item", () => {
    const inner = { title: "Read it", task_type: "tool", tool: "file.read" };
    expect(frameOf(map({ max_parallel: 6, task: inner }), null)).toMatchObject({
      kind: "tool",
      title: "Read it",
      detail: "file.read",
      atATime: "6 at a time",
    });
    expect(frameOf(map({}), null)).toMatchObject({ kind: "agent", title: "No task yet", atATime: "" });
  });

  it("pushes what stands under it further down, and is not laid over", () => {
    const tasks = ["a", "b", "c"].map((id) => ({ id, position: null, kind: id === "b" ? "map" : "code" }));
    const links = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
    ];
    const places = placeAll(tasks, links);
    expect(["a", "b", "c"].map((id) => places.get(id)?.y)).toEqual([0, 104, 104 + 144 + 32]);
    const put = { id: "d", position: { x: 0, y: 104 + 80 }, kind: "code" };
    expect(placeAll([...tasks, put], links).get("b")?.x).not.toBe(0);
  });
});
