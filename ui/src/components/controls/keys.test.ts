// Shortcuts: spelling, silence while typing or composing, two strokes.
import { renderHook } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { keyOf, printKeys, useKeys } from "./keys";

const key = (init: KeyboardEventInit & { keyCode?: number }) =>
  new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
const press = (init: KeyboardEventInit, target: EventTarget = document.body) => target.dispatchEvent(key(init));

describe("keys", () => {
  it("spells a stroke", () => {
    expect(keyOf(key({ key: "Z", ctrlKey: true, shiftKey: true }))).toBe("ctrl+shift+z");
    expect(keyOf(key({ key: "?", shiftKey: true }))).toBe("?");
    expect(keyOf(key({ key: "!", shiftKey: true, code: "Digit1" }))).toBe("shift+1");
    expect(keyOf(key({ key: "Control" }))).toBeNull();
    expect(printKeys("ctrl++")).toBe("Ctrl +");
  });

  it("is silent while an input method composes, also where only the key code tells", () => {
    const composed = key({ key: "Enter", isComposing: true });
    const webkit = key({ key: "Enter" });
    Object.defineProperty(webkit, "keyCode", { value: 229 });
    expect(keyOf(composed)).toBeNull();
    expect(keyOf(webkit)).toBeNull();
  });

  it("leaves letters, Delete and Escape of the editor to a field that is typed in, but not Ctrl K", () => {
    const act = vi.fn();
    renderHook(() => useKeys({ a: act, delete: act, "ctrl+z": act, "ctrl+k": act }, "anywhere"));
    const field = document.body.appendChild(document.createElement("input"));
    for (const init of [{ key: "a" }, { key: "Delete" }, { key: "z", ctrlKey: true }]) press(init, field);
    expect(act).not.toHaveBeenCalled();
    press({ key: "k", ctrlKey: true }, field);
    expect(act).toHaveBeenCalledOnce();
  });

  it("gives the second stroke of a pair to the pair alone, whoever listens", () => {
    const pause = vi.fn();
    const plans = vi.fn();
    renderHook(() => useKeys({ "g p": plans }, "anywhere"));
    renderHook(() => useKeys({ p: pause }, "anywhere"));
    press({ key: "g" });
    press({ key: "p" });
    expect(plans).toHaveBeenCalledOnce();
    expect(pause).not.toHaveBeenCalled();
  });

  it("lets a key go on where the act says that it can do nothing", () => {
    renderHook(() => useKeys({ p: () => false }, "anywhere"));
    expect(press({ key: "p" })).toBe(true);
  });
});
