// Forms from schemas: defaults, what is missing, numbers with all their digits.
import { describe, expect, it } from "vitest";
import { at, isNumber, objectOf, parse, print, put } from "../../ipc/json";
import { defaultOf, fieldKind, missingIn } from "./schema";

const schema = objectOf(
  parse(`{"type":"object","required":["verdict","limit"],"properties":{
    "verdict":{"type":"string","enum":["Real","Wrong"]},
    "limit":{"type":"integer","default":9007199254740993,"minimum":1},
    "note":{"type":["string","null"],"maxLength":3},
    "rows":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"}}}},
    "free":{}}}`),
);

describe("forms", () => {
  it("reads which field a schema wants", () => {
    const kinds = Object.values(objectOf(schema.properties)).map((s) => fieldKind(objectOf(s)));
    expect(kinds).toEqual(["choice", "number", "text", "rows", "json"]);
  });

  it("starts from the defaults, digit by digit", () => {
    expect(print(defaultOf(schema) ?? null)).toBe('{"limit":9007199254740993}');
  });

  it("says what is missing or of the wrong kind, and where", () => {
    const faults = missingIn(schema, parse('{"limit":1.5,"note":"four"}'));
    expect([...faults.keys()].sort()).toEqual(["/limit", "/note", "/verdict"]);
    expect(missingIn(schema, parse('{"limit":0,"verdict":"Real"}')).has("/limit")).toBe(true);
    expect(missingIn(schema, parse('{"limit":7,"verdict":"Real"}')).size).toBe(0);
  });
});

describe("JSON", () => {
  it("keeps 64-bit integers, decimals and exponents as they were written", () => {
    const text = '{"a":9007199254740993,"b":0.10,"c":1e400,"d":-0}';
    expect(print(parse(text))).toBe(text);
    expect(isNumber(at(parse(text), "/a"))).toBe(true);
  });

  it("reads and writes at pointers, escapes included, and leaves the original alone", () => {
    const before = parse('{"a/b":{"~":[1,2]}}');
    expect(print(at(before, "/a~1b/~0/1") ?? null)).toBe("2");
    expect(print(put(before, "/a~1b/~0/1", parse("3")))).toBe('{"a/b":{"~":[1,3]}}');
    expect(print(put(before, "/x/y", true))).toBe('{"a/b":{"~":[1,2]},"x":{"y":true}}');
    expect(print(put(before, "/a~1b", undefined))).toBe("{}");
    expect(print(before)).toBe('{"a/b":{"~":[1,2]}}');
  });
});
