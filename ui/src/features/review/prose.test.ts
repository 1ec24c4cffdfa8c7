// Which answers are read as text.
import { describe, expect, it } from "vitest";
import { parse } from "../../ipc/json";
import { proseOf } from "./prose";

describe("an answer", () => {
  it.each([
    ['"# Report"', "# Report"],
    ['{"report": "# Report"}', "# Report"],
    ['{"report": {"text": "# Report"}}', "# Report"],
    ['{"a": {"b": {"text": "deep"}}}', null],
    ['{"a": "one", "b": "two"}', null],
    ['{"a": 1}', null],
    ["[1]", null],
    ["null", null],
  ])("%s is %s", (json, text) => {
    expect(proseOf(parse(json))).toBe(text);
  });
});
