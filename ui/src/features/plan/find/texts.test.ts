// Finding and replacing in plans: what a person wrote, not what names things.
import { describe, expect, it } from "vitest";
import { viewOf } from "../../../ipc/demo/draft";
import { applyEdit } from "../../../ipc/demo/edits";
import { parse, print } from "../../../ipc/json";
import { findAll, replaceEdits } from "./texts";

const document = parse(
  '{"tasks":[{"id":"price","title":"Read the price","task_type":"tool","tool":"price.read","instruction":"Price, prices and PRICE","inputs":{"n":1.50,"path":"price.csv","a":{"$from":"price","path":"/price"},"t":{"$template":"the price {{ x }}"}}}]}',
);
const view = viewOf("r", "R", 1, null, document, {});
const wanted = { text: "price", matchCase: false, wholeWord: false };

describe("finding", () => {
  it("looks into texts and leaves names and references alone", () => {
    expect(findAll(view, wanted).map((f) => [f.field, f.hits.length])).toEqual([
      ["/title", 1],
      ["/instruction", 3],
      ["/inputs/path", 1],
      ["/inputs/t/$template", 1],
    ]);
  });
  it("keeps to whole words and to the case where that is wanted", () => {
    expect(findAll(view, { ...wanted, wholeWord: true })[1]?.hits).toEqual([
      [0, 5],
      [18, 23],
    ]);
    expect(findAll(view, { ...wanted, matchCase: true })[1]?.hits).toEqual([[7, 12]]);
    expect(findAll(view, { ...wanted, text: "(" })).toEqual([]);
    expect(findAll(view, { ...wanted, text: "" })).toEqual([]);
  });
  it("replaces all in one step and leaves numbers as they were written", () => {
    const edits = replaceEdits(view, findAll(view, wanted), "cost");
    const [task] = (edits.reduce(applyEdit, document) as { tasks: never[] }).tasks;
    expect(print(task!)).toContain('"instruction":"cost, costs and cost"');
    expect(print(task!)).toContain('"n":1.50');
    expect(print(task!)).toContain('{"$template":"the cost {{ x }}"}');
    expect(print(task!)).toContain('"$from":"price"');
  });
});
