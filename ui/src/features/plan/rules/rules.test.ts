// Copying, lining up, leaving out, and making subplans: on documents alone, judged by the demo's model of plans.
import { describe, expect, it } from "vitest";
import { placeAll } from "../../../components/canvas/places";
import type { PlanEdit } from "../../../ipc/bindings";
import { viewOf } from "../../../ipc/demo/draft";
import { applyEdit } from "../../../ipc/demo/edits";
import { MARGIN_REPORT } from "../../../ipc/demo/plan";
import { type Json, objectOf, parse, print } from "../../../ipc/json";
import { align, distribute, tidySet } from "./arrange";
import { makeSubplan } from "./grouping";
import { openUp } from "./opening";
import { gather, pasteEdits, readCopied } from "./pasting";
import { dependenciesOf, freeId, mapMarks, tasksOf } from "./reads";
import { isSkipped, skipEdits, skippedWhen } from "./skipping";

const show = (document: Json) => viewOf("r", "R", 1, null, document, {});
const edited = (document: Json, edits: PlanEdit[]) => edits.reduce(applyEdit, document);
const margin = parse(MARGIN_REPORT);
const view = show(margin);
const places = placeAll(view.tasks, view.edges);
const taskOf = (document: Json, id: string) => tasksOf(document).find((task) => task.id === id)!;

describe("reads", () => {
  it("are found at any depth and left alone where they are literal", () => {
    const task = objectOf(
      parse('{"inputs":{"a":[{"$from":"x"}],"b":{"$literal":{"$from":"y"}}},"task":{"inputs":{"c":{"$from":"z"}}}}'),
    );
    const seen: string[] = [];
    mapMarks(task, "$from", (marked, name) => {
      seen.push(name);
      return marked;
    });
    expect(seen).toEqual(["x", "z"]);
  });

  it("take free ids as the engine does", () => {
    expect(freeId("a", new Set(["b"]))).toBe("a");
    expect(freeId("a_2", new Set(["a_2", "a"]))).toBe("a_3");
    expect(freeId("ein Bäcker", new Set())).toBe("ein_B_cker");
  });
});

describe("copy and paste", () => {
  it("is plain plan text, with edges among the copies, under free ids, as they stood", () => {
    const text = gather(view, new Set(["normalise", "margins"]), places)!;
    const copied = readCopied(text)!;
    const { edits, ids } = pasteEdits(
      copied,
      { run: view.run, ids: new Set(view.tasks.map((x) => x.id)) },
      places,
      null,
    );
    expect(ids).toEqual(["normalise_2", "margins_2"]);
    const document = edited(margin, edits);
    const made = show(document);
    expect(dependenciesOf(taskOf(document, "margins_2"))).toEqual(["query_costs", "normalise_2"]);
    expect(print(taskOf(document, "margins_2").inputs ?? null)).toContain('"rivals":{"$from":"normalise_2"}');
    const [a, b] = ["normalise_2", "margins_2"].map((id) => made.tasks.find((x) => x.id === id)!.position!);
    const [x, y] = ["normalise", "margins"].map((id) => places.get(id)!);
    expect([b!.x - a!.x, b!.y - a!.y]).toEqual([y!.x - x!.x, y!.y - x!.y]);
    expect(made.problems).toEqual([]);
  });

  it("joins nothing by its name alone: only where it was copied from do outer edges mean the same", () => {
    const copied = readCopied(gather(view, new Set(["margins", "check_outliers"]), places)!)!;
    const theirs = parse(
      '{"tasks":[{"id":"normalise","instruction":"Something else","task_type":"code","source":"return 1"}]}',
    );
    const ids = new Set(["normalise"]);
    const { edits, unmapped } = pasteEdits(copied, { run: "other", ids }, new Map(), null);
    const document = edited(theirs, edits);
    expect(dependenciesOf(taskOf(document, "margins"))).toEqual([]);
    expect(dependenciesOf(taskOf(document, "check_outliers"))).toEqual(["margins"]);
    expect(print(taskOf(document, "margins").inputs ?? null)).not.toContain("normalise");
    expect(unmapped.map((open) => open.task)).toEqual(["margins", "margins"]);
    // A text that does not say where it is from is from elsewhere.
    const loose = pasteEdits({ ...copied, from: "" }, { run: "r", ids }, new Map(), null);
    expect(dependenciesOf(taskOf(edited(theirs, loose.edits), "margins"))).toEqual([]);
    expect(pasteEdits(copied, { run: "r", ids: new Set(view.tasks.map((x) => x.id)) }, places, null).unmapped).toEqual(
      [],
    );
  });

  it("goes into another plan without the edges that lead nowhere there, at the pointer", () => {
    const copied = readCopied(gather(view, new Set(["margins"]), places)!)!;
    const { edits } = pasteEdits(copied, { run: "other", ids: new Set() }, new Map(), { x: 500, y: 300 });
    const document = edited(parse('{"tasks":[]}'), edits);
    expect(dependenciesOf(taskOf(document, "margins"))).toEqual([]);
    expect(show(document).tasks[0]!.position).toEqual({ x: 392, y: 264 });
    expect(show(document).problems.map((p) => p.code)).toContain("unknown_input");
  });

  it("reads a plan, a list or one task, and nothing else", () => {
    expect(readCopied('{"tasks":[{"id":"a"}]}')?.tasks).toHaveLength(1);
    expect(readCopied('[{"id":"a"},{"id":"b"}]')?.tasks).toHaveLength(2);
    expect(readCopied('{"id":"a","instruction":"Do"}')?.tasks).toHaveLength(1);
    for (const text of ["", "hello", "[]", "[1]", '{"tasks":[]}', '{"id":"a"}']) expect(readCopied(text)).toBeNull();
  });
});

describe("lining up", () => {
  const three = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 100, y: 200 }],
    ["c", { x: 640, y: 520 }],
  ]);
  it("follows an edge, and lays no card over another", () => {
    expect(align(three, ["a", "b", "c"], "left").map((p) => p.x)).toEqual([0, 0, 0]);
    expect(align(three, ["a", "b", "c"], "right").map((p) => p.x)).toEqual([640, 640, 640]);
    const top = align(three, ["a", "b", "c"], "top");
    expect(top.map((p) => [p.x, p.y])).toEqual([
      [0, 0],
      [240, 0],
      [640, 0],
    ]);
    expect(align(three, ["a"], "left")).toEqual([]);
  });
  it("makes the distances equal and leaves the outermost", () => {
    expect(distribute(three, ["a", "b", "c"], "x").map((p) => p.x)).toEqual([0, 320, 640]);
    expect(distribute(three, ["a", "b"], "x")).toEqual([]);
  });
  it("tidies only what is chosen, where it stands", () => {
    const moved = tidySet(three, ["b", "c"], [{ from: "b", to: "c" }]);
    expect(moved).toEqual([
      { id: "b", x: 104, y: 200 },
      { id: "c", x: 104, y: 304 },
    ]);
  });
});

describe("leaving out", () => {
  it("keeps the condition that was there", () => {
    const task = objectOf(parse('{"id":"a","when":"n > 2"}'));
    expect(skippedWhen(task, true)).toBe("false and (n > 2)");
    expect(skippedWhen({ when: "false and (n > 2)" }, false)).toBe("n > 2");
    expect(skippedWhen({ when: "false" }, false)).toBeNull();
    expect(isSkipped({ when: "falsehood" })).toBe(false);
  });
  it("takes some out, then all in again", () => {
    const [a, b] = [{ id: "a", when: "false" }, { id: "b" }];
    expect(skipEdits([a, b])).toEqual([{ setTask: { id: "b", field: "/when", value: '"false"' } }]);
    expect(skipEdits([a])).toEqual([{ setTask: { id: "a", field: "/when", value: null } }]);
  });
});

describe("a subplan", () => {
  it("takes its tasks in, what they read as parameters, and gives out what is read from them", () => {
    const made = makeSubplan(view, new Set(["normalise", "margins"]), places);
    if ("refusal" in made) throw new Error(made.refusal);
    const document = edited(margin, made.edits);
    const sub = taskOf(document, "subplan");
    expect(dependenciesOf(sub).sort()).toEqual(["get_rates", "query_costs", "read_contoso", "read_northwind"]);
    expect(Object.keys(objectOf(sub.inputs))).toEqual([
      "read_northwind_rows",
      "read_contoso_rows",
      "get_rates_rates",
      "floor",
      "query_costs_rows",
    ]);
    expect(objectOf(objectOf(objectOf(sub.plan).parameters).floor).default).toBeDefined();
    expect(print(taskOf(document, "check_outliers").inputs ?? null)).toBe(
      '{"rows":{"$from":"subplan","path":"/margins"}}',
    );
    expect(show(document).problems).toEqual([]);
    expect(taskOf(document, "margins")).toBeUndefined();
  });

  it("passes on what is read from its middle", () => {
    const made = makeSubplan(view, new Set(["margins", "check_outliers"]), places);
    if ("refusal" in made) throw new Error(made.refusal);
    const document = edited(margin, made.edits);
    expect(tasksOf(taskOf(document, "subplan").plan).map((x) => x.id)).toEqual([
      "margins",
      "check_outliers",
      "margins_out",
    ]);
    expect(print(taskOf(document, "write_report").inputs ?? null)).toContain(
      '{"$from":"subplan","path":"/margins_out"}',
    );
  });

  it("is refused around a task that stands between", () => {
    const made = makeSubplan(view, new Set(["margins", "write_report"]), places);
    expect("refusal" in made && made.refusal).toContain("Check outliers");
  });

  it("opens up to what it was made of", () => {
    const made = makeSubplan(view, new Set(["normalise", "margins"]), places);
    if ("refusal" in made) throw new Error(made.refusal);
    const grouped = edited(margin, made.edits);
    const opened = openUp(show(grouped), "subplan", placeAll(show(grouped).tasks, show(grouped).edges));
    if ("refusal" in opened) throw new Error(opened.refusal);
    const document = edited(grouped, opened.edits);
    expect(show(document).problems).toEqual([]);
    for (const task of tasksOf(margin)) {
      const back = taskOf(document, task.id as string);
      expect(new Set(dependenciesOf(back))).toEqual(new Set(dependenciesOf(task)));
      expect(print(back.inputs ?? null)).toBe(print(task.inputs ?? null));
    }
  });

  it("come back as they were also where one in their midst is read from outside", () => {
    const code = (id: string, from: string[]) =>
      `{"id":"${id}","instruction":"x","task_type":"code","source":"return 1","dependencies":${JSON.stringify(from)},"inputs":{${from.map((f) => `"${f}":{"$from":"${f}","path":"/text"}`).join(",")}}}`;
    const document = parse(`{"tasks":[${code("a", [])},${code("b", ["a"])},${code("c", ["a", "b"])}]}`);
    const made = makeSubplan(show(document), new Set(["a", "b"]), new Map());
    if ("refusal" in made) throw new Error(made.refusal);
    const grouped = edited(document, made.edits);
    const opened = openUp(show(grouped), made.id, new Map());
    if ("refusal" in opened) throw new Error(opened.refusal);
    expect(opened.ids).toEqual(["a", "b"]);
    const back = edited(grouped, opened.edits);
    for (const id of ["a", "b", "c"]) expect(print(taskOf(back, id))).toBe(print(taskOf(document, id)));
    expect(tasksOf(back)).toHaveLength(3);
  });
});
