// A person's own keys: they act in the place of the usual ones, are printed, and never mean two things in one place.
import { renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isFixed, lookAt, readOwnKeys, rebound, refusalOf, useKeymap } from "./keymap";
import { printKeys, useKeys } from "./keys";

const press = (init: KeyboardEventInit) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));
const put = (...all: Parameters<typeof rebound> extends [unknown, ...infer Rest] ? Rest[] : never) => {
  let own = useKeymap.getState().own;
  for (const [place, usual, key] of all) own = rebound(own, place, usual, key);
  useKeymap.setState({ own });
};
afterEach(() => {
  useKeymap.setState({ own: {} });
  lookAt("");
});

describe("own keys", () => {
  it("act in the place of the usual ones, there and nowhere else", () => {
    const [add, follow] = [vi.fn(), vi.fn()];
    renderHook(() => useKeys({ a: add }, "plan"));
    renderHook(() => useKeys({ a: follow }, "run"));
    put(["plan", "a", "shift+a"]);
    press({ key: "a" });
    expect([add.mock.calls.length, follow.mock.calls.length]).toEqual([0, 1]);
    press({ key: "A", shiftKey: true });
    expect([add.mock.calls.length, follow.mock.calls.length]).toEqual([1, 1]);
  });

  it("can change places", () => {
    const [agent, code] = [vi.fn(), vi.fn()];
    renderHook(() => useKeys({ a: agent, c: code }, "plan"));
    put(["plan", "a", "y"], ["plan", "c", "a"], ["plan", "a", "c"]);
    press({ key: "a" });
    expect(code).toHaveBeenCalledOnce();
    press({ key: "c" });
    expect(agent).toHaveBeenCalledOnce();
  });

  it("may be one stroke instead of two", () => {
    const plans = vi.fn();
    renderHook(() => useKeys({ "g p": plans }, "anywhere"));
    put(["anywhere", "g p", "f9"]);
    press({ key: "F9" });
    expect(plans).toHaveBeenCalledOnce();
  });

  it("are printed on the screen that they hold for", () => {
    put(["plan", "e", "ctrl+e"]);
    lookAt("plan");
    expect(printKeys("e")).toBe("Ctrl E");
    lookAt("approve");
    expect(printKeys("e")).toBe("E");
  });

  it("are refused where they mean something else, with its name", () => {
    expect(refusalOf("plan", "a", "ctrl+k")).toEqual({ why: "taken", text: "Search and commands" });
    expect(refusalOf("plan", "a", "ctrl+0")).toEqual({ why: "taken", text: "Zoom" });
    expect(refusalOf("plan", "a", "j")).toBeNull();
    expect(refusalOf("anywhere", "n", "p")).toMatchObject({ why: "taken" });
    expect(refusalOf("plan", "a", "a")).toBeNull();
    for (const key of ["escape", "alt+arrowup", "ctrl+v", "ctrl+="])
      expect(refusalOf("plan", "a", key)?.why).toBe("fixed");
    expect(refusalOf("plan", "a", "g")).toEqual({ why: "pair" });
    put(["plan", "c", "y"]);
    expect(refusalOf("plan", "a", "y")?.why).toBe("taken");
    expect(refusalOf("plan", "a", "c")).toBeNull();
  });

  it("go back to the usual ones, and only what can be meant is read from a file", () => {
    expect(rebound({ "plan a": "y" }, "plan", "a", null)).toEqual({});
    expect(rebound({ "plan a": "y" }, "plan", "a", "a")).toEqual({});
    expect(readOwnKeys({ "plan a": "y", "plan b": 3, "nowhere c": "x", __proto__: "x" })).toEqual({ "plan a": "y" });
    expect(readOwnKeys("plan a")).toEqual({});
    expect(isFixed("plan", "↑") && isFixed("canvas", "alt+↑") && !isFixed("plan", "f2")).toBe(true);
  });
});
