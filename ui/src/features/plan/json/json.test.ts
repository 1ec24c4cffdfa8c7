// The JSON view: from text to edits, what may be written where, and where a pointer leads.
import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { viewOf } from "../../../ipc/demo/draft";
import { applyEdit } from "../../../ipc/demo/edits";
import { MARGIN_REPORT } from "../../../ipc/demo/plan";
import { TOOLS } from "../../../ipc/demo/tools";
import { at, parse, print, put } from "../../../ipc/json";
import { differing } from "./jsonEditor";
import { rangeOf, spotAt, taskAt } from "./jsonPlaces";
import { planEdits } from "./planEdits";
import { keysAt, valuesAt } from "./planSchema";

const margin = parse(MARGIN_REPORT);
const view = viewOf("r", "R", 1, null, margin, {});
const stateOf = (text: string) => {
  const state = EditorState.create({ doc: text, extensions: [json()] });
  ensureSyntaxTree(state, text.length, 2000);
  return state;
};

describe("edits from a plan's text", () => {
  it("are none where only the spaces differ", () => {
    expect(planEdits(view, parse(print(margin, 4)))).toEqual([]);
  });
  it("lead to what was written: changed, new, gone, renamed", () => {
    let after = put(margin, "/goal", "Another goal");
    after = put(after, "/budget", parse('{"usd":0.50}'));
    after = put(after, "/tasks/0/title", "Read it");
    after = put(after, "/tasks/-", parse('{"id":"extra","instruction":"More","dependencies":["save_report"]}'));
    const tasks = (at(after, "/tasks") as never[]).filter((_, ix) => ix !== 1);
    after = put(after, "/tasks", tasks);
    const edits = planEdits(view, after)!;
    expect(edits.map((e) => Object.keys(e)[0])).toEqual(["setTask", "addTask", "removeTasks", "setPlan", "setPlan"]);
    const done = edits.reduce(applyEdit, margin);
    expect(at(done, "/goal")).toBe("Another goal");
    expect(print(at(done, "/budget")!)).toBe('{"usd":0.50}');
    expect((at(done, "/tasks") as { id: string }[]).map((x) => x.id)).toContain("extra");
    expect(planEdits(view, put(margin, "/tasks/0/id", "first"))).toEqual([
      { renameTask: { id: view.tasks[0]!.id, to: "first" } },
    ]);
  });
  it("are refused for what is no plan", () => {
    for (const text of ["[]", "1", '{"tasks":{}}', '{"tasks":[1]}']) expect(planEdits(view, parse(text))).toBeNull();
  });
});

describe("completion", () => {
  const labels = (found: { label: string }[]) => found.map((x) => x.label);
  it("knows the fields of plans and of each kind of task, and leaves out what is there", () => {
    expect(labels(keysAt([], new Set(["goal"]), "", view, TOOLS))).toContain("tasks");
    expect(labels(keysAt([], new Set(["goal"]), "", view, TOOLS))).not.toContain("goal");
    expect(labels(keysAt(["tasks", 0], new Set(), "human", view, TOOLS))).toContain("form");
    expect(labels(keysAt(["tasks", 0], new Set(), "human", view, TOOLS))).not.toContain("source");
    expect(labels(keysAt(["tasks", 0, "retry"], new Set(), "", view, TOOLS))[0]).toBe("max_attempts");
    expect(labels(keysAt(["tasks", 0, "inputs"], new Set(), "tool", view, TOOLS, "file.write"))).toEqual([
      "path",
      "text",
      "append",
    ]);
    expect(labels(keysAt(["tasks", 3, "plan", "tasks", 0], new Set(), "code", view, TOOLS))).toContain("source");
  });
  it("knows values: tasks, tools, kinds, parameters", () => {
    expect(labels(valuesAt(["tasks", 0, "task_type"], view, TOOLS))).toContain("agent");
    expect(labels(valuesAt(["tasks", 0, "tool"], view, TOOLS))).toContain("csv.read");
    expect(labels(valuesAt(["tasks", 0, "dependencies", 0], view, TOOLS))).toContain("margins");
    expect(labels(valuesAt(["tasks", 0, "inputs", "x", "$param"], view, TOOLS))).toEqual(["floor", "month"]);
    expect(valuesAt(["tasks", 0, "instruction"], view, TOOLS)).toEqual([]);
  });
  it("sees what is being written, in half a text too", () => {
    const text = '{"tasks":[{"id":"a","task_type":"to';
    expect(spotAt(stateOf(text), text.length)).toMatchObject({ path: ["tasks", 0, "task_type"], isKey: false });
    const key = '{"tasks":[{"id":"a",""}]}';
    expect(spotAt(stateOf(key), 21)).toMatchObject({ path: ["tasks", 0], isKey: true });
  });
});

describe("places", () => {
  const text = print(margin, 2);
  it("are found by pointer, or the nearest around it", () => {
    const state = stateOf(text);
    const range = rangeOf(state, "/tasks/1/id")!;
    expect(state.sliceDoc(range.from, range.to)).toBe(JSON.stringify(view.tasks[1]!.id));
    const near = rangeOf(state, "/tasks/1/nothing/here")!;
    expect(state.sliceDoc(near.from, near.from + 1)).toBe("{");
    expect(taskAt(state, range.from)).toBe(1);
    expect(taskAt(state, 3)).toBeNull();
  });
  it("keep the cursor's text where two texts agree", () => {
    expect(differing("abcdef", "abXef")).toEqual({ from: 2, to: 4, insert: "X" });
    expect(differing("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
    expect(differing("a", "a")).toBeNull();
  });
});
