// The inspector: sources of inputs, edits from JSON, typing merged into one edit.
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { objectOf, parse, print } from "../../../ipc/json";
import { sendUnsent } from "../../../state/draft";
import { newTask } from "../templates";
import { changes } from "./JsonTab";
import { convert, sourceKind, withPath } from "./source";
import { useTyped } from "./useTyped";

describe("the source of an input", () => {
  it("is read from its form", () => {
    const kinds = [
      '"text"',
      "12",
      '{"$from":"a","path":"/rows"}',
      '{"$param":"p"}',
      '{"$template":"x"}',
      '{"$template":"x","with":{}}',
      '{"$secret":"S"}',
      '{"a":{"$from":"b"}}',
      '{"$literal":{"$from":"a"}}',
    ];
    expect(kinds.map((text) => sourceKind(parse(text), null))).toEqual([
      "text",
      "json",
      "from",
      "param",
      "template",
      "template",
      "secret",
      "json",
      "json",
    ]);
    expect(sourceKind(undefined, objectOf(parse('{"type":"array"}')))).toBe("json");
  });

  it("keeps what it can when its kind changes", () => {
    expect(print(convert("12.50", "json", [], []) ?? null)).toBe("12.50");
    expect(convert("hello", "template", [], [])).toEqual({ $template: "hello" });
    expect(convert({ $template: "hello" }, "text", [], [])).toBe("hello");
    expect(convert("x", "from", ["near", "far"], [])).toEqual({ $from: "near" });
  });

  it("leaves the path out where the whole output is meant", () => {
    expect(withPath("a", " / ")).toEqual({ $from: "a" });
    expect(withPath("a", "rows/0")).toEqual({ $from: "a", path: "/rows/0" });
  });
});

describe("edits from a task's JSON", () => {
  it("name only what changed, removals and renames included", () => {
    const before = objectOf(parse('{"id":"a","title":"T","retry":{"max_attempts":2},"inputs":{"n":1.0}}'));
    const after = objectOf(parse('{"id":"b","title":"U","inputs":{"n":1.0}}'));
    expect(changes("a", before, after)).toEqual([
      { setTask: { id: "a", field: "/retry", value: null } },
      { setTask: { id: "a", field: "/title", value: '"U"' } },
      { renameTask: { id: "a", to: "b" } },
    ]);
    expect(changes("a", before, before)).toEqual([]);
  });
});

describe("typing", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is one edit, 800 ms after the last key", () => {
    const send = vi.fn();
    const { result } = renderHook(() => useTyped("", send));
    for (const text of ["h", "he", "hey"]) {
      act(() => result.current.type(text));
      act(() => void vi.advanceTimersByTime(500));
    }
    expect(send).not.toHaveBeenCalled();
    expect(result.current.text).toBe("hey");
    act(() => void vi.advanceTimersByTime(800));
    expect(send.mock.calls).toEqual([["hey"]]);
  });

  it("is sent at once where another act follows, and when the field goes away", () => {
    const send = vi.fn();
    const { result, unmount } = renderHook(() => useTyped("", send));
    act(() => result.current.type("one"));
    act(() => sendUnsent());
    act(() => result.current.type("two"));
    unmount();
    expect(send.mock.calls).toEqual([["one"], ["two"]]);
  });

  it("is not overwritten by an answer that comes in between", () => {
    const { result, rerender } = renderHook(({ value }) => useTyped(value, () => undefined), {
      initialProps: { value: "a" },
    });
    act(() => result.current.type("ab"));
    rerender({ value: "from the engine" });
    expect(result.current.text).toBe("ab");
  });
});

describe("a new task", () => {
  it("has an id that the plan format allows, also for tools with dots", () => {
    const tool = {
      name: "file.write",
      description: "Writes.",
      effect: "write",
      idempotency: "natural",
      arguments: "{}",
      result: "{}",
      off: null,
    } as const;
    expect(objectOf(parse(newTask("tool", tool))).id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});
