// Tasks out of an answer that is still being written: at every letter, and out of whatever a model puts around them.
import { describe, expect, it } from "vitest";
import { MARGIN_REPORT } from "../ipc/demo/plan";
import { readPartial } from "../ipc/partial";
import { sketch, sketchCards } from "./sketch";

describe("an answer that is being written", () => {
  it("names more and more tasks with each letter, and all of them at its end", () => {
    let before: string[] = [];
    for (let length = 0; length <= MARGIN_REPORT.length; length++) {
      const now = sketch(MARGIN_REPORT.slice(0, length)).map((task) => task.id);
      expect(now.slice(0, before.length)).toEqual(before);
      before = now;
    }
    const all = (JSON.parse(MARGIN_REPORT) as { tasks: { id: string }[] }).tasks.map((task) => task.id);
    expect(before).toEqual(all);
    expect(sketch(MARGIN_REPORT).every((task) => task.isWhole)).toBe(true);
  });

  it("says which task is still being written, with what is known of it", () => {
    const answer = '{"tasks": [{"id": "a", "title": "Read it", "task_type": "tool"}, {"id": "b", "title": "Work i';
    expect(sketch(answer).map(({ id, title, isWhole }) => [id, title, isWhole])).toEqual([
      ["a", "Read it", true],
      ["b", "Work i", false],
    ]);
    // An id alone may still grow.
    expect(sketch('{"tasks": [{"id": "a').length).toBe(0);
    expect(sketch('{"tasks": [{"id": "a"').length).toBe(0);
  });

  it("takes what was begun last, whatever stands around it", () => {
    const thought = 'I could write {"tasks": [{"id": "old", "title": "x"}]} but better:\n```json\n';
    const task = '{"id": "new", "instruction": "Do it.\\nThen that.", "dependencies": ["old", "new"]}';
    expect(sketch(`${thought}{ "tasks" : [ ${task} ] }\n\`\`\``).map((t) => [t.id, t.title, t.kind])).toEqual([
      ["new", "Do it.", "agent"],
    ]);
    for (const odd of [
      "",
      "no plan",
      '{"tasks": 7}',
      '{"tasks": [7, "x", null, {"id": null, "title": 3}]}',
      '{"tasks": [}',
      '"tasks": [{,',
    ])
      expect(sketch(odd)).toEqual([]);
    expect(sketch(`{"tasks": [{"id":"a","title":"A"},{"id":"a","title":"B"}]}`).map((t) => t.title)).toEqual(["A"]);
  });

  it("becomes cards with the edges between those that are there", () => {
    const answer =
      '{"tasks": [{"id":"a","title":"A","dependencies":[]},{"id":"b","title":"B","dependencies":["a","a","b","c"]}';
    const { tasks, edges } = sketchCards(sketch(answer));
    expect(tasks.map((task) => [task.id, task.status])).toEqual([
      ["a", "DRAFT"],
      ["b", "DRAFT"],
    ]);
    expect(edges.map((edge) => [edge.from, edge.to])).toEqual([["a", "b"]]);
  });
});

describe("what can be read of a JSON text", () => {
  it("is everything that stands before its end", () => {
    const text = '{"a": [1, "x\\n\\u00e9", {"b": tr';
    expect(readPartial(text, 0)).toEqual({
      value: { a: ["1", "x\né", { b: "tr" }] },
      at: text.length,
      isWhole: false,
    });
    expect(readPartial('"half \\u00', 0)?.value).toBe("half ");
    expect(readPartial("[".repeat(10_000), 0)?.isWhole).toBe(false);
    expect(readPartial("  ", 0)).toBeNull();
    expect(readPartial('{"__proto__": {"x": 1}, "y": "z"}', 0)?.value).toEqual({ y: "z" });
  });
});
