// What a connection could carry: by schema where there is one, by name where two are alike, a question where several fit.
import { expect, describe as group, it } from "vitest";
import type { ToolView } from "../../../ipc/bindings";
import { objectOf, parse } from "../../../ipc/json";
import { describe, obvious, offersFor } from "./mapping";
import { fits, outputSchema, placesIn } from "./outputs";

const tool = (name: string, args: string, result: string) => ({ name, arguments: args, result }) as ToolView;
const TOOLS = [
  tool(
    "csv.read",
    "{}",
    '{"type":"object","properties":{"columns":{"type":"array"},"rows":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"}}}}}}',
  ),
  tool("file.read", "{}", '{"type":"object","properties":{"text":{"type":"string"}}}'),
  tool(
    "file.write",
    '{"type":"object","required":["path","text"],"properties":{"path":{"type":"string"},"text":{"type":"string"},"append":{"type":"boolean"}}}',
    "{}",
  ),
];
const task = (text: string) => objectOf(parse(text));
const csv = task('{"id":"prices","task_type":"tool","tool":"csv.read"}');

group("outputs", () => {
  it("come from the task's own schema, its tool, its form, or its inner tasks", () => {
    expect(placesIn(outputSchema(csv, TOOLS)).map((p) => p.pointer)).toEqual([
      "",
      "/columns",
      "/rows",
      "/rows/0",
      "/rows/0/sku",
    ]);
    expect(outputSchema(task('{"task_type":"code"}'), TOOLS)).toEqual({});
    expect(
      outputSchema(task('{"task_type":"tool","tool":"csv.read","output_schema":{"type":"string"}}'), TOOLS),
    ).toEqual({ type: "string" });
    const sub = task(
      '{"task_type":"subplan","plan":{"tasks":[{"id":"a"},{"id":"b","dependencies":["a"],"task_type":"human","form":{"type":"object"}}]}}',
    );
    expect(outputSchema(sub, TOOLS).properties).toEqual({ b: { type: "object" } });
    expect(
      outputSchema(task('{"task_type":"map","task":{"task_type":"human","form":{"type":"object"}}}'), TOOLS),
    ).toEqual({ type: "array", items: { type: "object" } });
  });
  it("fit where types agree or are not known", () => {
    expect(fits({ type: "integer" }, { type: "number" })).toBe(true);
    expect(fits({}, { type: "string" })).toBe(true);
    expect(fits({ type: "array" }, { type: "string" })).toBe(false);
  });
});

group("offers", () => {
  it("name an input for a task that takes any, after what it carries", () => {
    const code = task('{"id":"c","task_type":"code","inputs":{"rows":1}}');
    const offers = offersFor(csv, code, TOOLS);
    expect(offers.map((o) => [o.input, o.path])).toEqual([
      ["columns", "/columns"],
      ["rows_2", "/rows"],
      ["prices", ""],
    ]);
    expect(obvious(offers)).toBeNull();
    expect(obvious(offersFor(task('{"id":"x-y","task_type":"code"}'), code, TOOLS))?.value).toEqual({ $from: "x-y" });
    expect(offersFor(task('{"id":"x-y","task_type":"code"}'), code, TOOLS)[0]?.input).toBe("x_y");
  });
  it("fill a tool's open arguments with what is of their type, alike names first", () => {
    const write = task('{"id":"w","task_type":"tool","tool":"file.write","inputs":{"path":"a.md"}}');
    const [text] = offersFor(task('{"id":"r","task_type":"tool","tool":"file.read"}'), write, TOOLS);
    expect(text).toMatchObject({ input: "text", path: "/text" });
    expect(obvious(offersFor(task('{"id":"r","task_type":"tool","tool":"file.read"}'), write, TOOLS))?.path).toBe(
      "/text",
    );
    expect(offersFor(csv, write, TOOLS)).toEqual([]);
  });
  it("are none where it is read already, or where nothing is open", () => {
    expect(
      offersFor(csv, task('{"id":"c","task_type":"code","inputs":{"a":{"$from":"prices","path":"/rows"}}}'), TOOLS),
    ).toEqual([]);
    expect(offersFor(csv, task('{"id":"h","task_type":"human"}'), TOOLS)).toEqual([]);
    const map = task('{"id":"m","task_type":"map","over":"items","inputs":{"items":[]}}');
    expect(offersFor(csv, map, TOOLS).map((o) => [o.input, describe(o)])).toEqual([
      ["items", "columns"],
      ["items", "rows"],
    ]);
  });
});
