// Money as people read it: small sums stay visible, nothing is called free that is not known to be.

import { describe, expect, it } from "vitest";
import { t } from ".";
import { dollars, either, priceText, spentText, visible } from "./format";

const spent = (usd: string, unknown = 0) => ({ usd, zero: 0, estimated: 1, unknown });

describe("money", () => {
  it.each([
    ["0", "free"],
    ["0.0004", "under $0.001"],
    ["0.0147", "$0.015"],
    ["0.5", "$0.500"],
    ["1.624", "$1.62"],
    ["1234.5", "$1234.50"],
    ["a lot", "a lot"],
  ])("%s → %s", (usd, text) => expect(dollars(usd)).toBe(text));

  it("says what is not in the sum", () => {
    expect(spentText(spent("0"))).toBe("free");
    expect(spentText(spent("0.05"))).toBe("$0.050");
    expect(spentText(spent("0.05", 1))).toBe("≥ $0.050");
    expect(spentText(spent("0", 1))).toBe("unknown");
  });

  it("names prices by the million, free only where the engine says so", () => {
    const price = { input: "0.1", output: "10" };
    expect(priceText({ isFree: false, price })).toBe("$0.10 / $10");
    expect(priceText({ isFree: false, price: null })).toBe("unknown price");
    expect(priceText({ isFree: true, price: null })).toBe("free");
  });

  it("joins alternatives", () => {
    expect([either([]), either(["a"]), either(["a", "b"]), either(["a", "b", "c"])]).toEqual([
      "",
      "a",
      "a or b",
      "a, b or c",
    ]);
  });
});

describe("what hides or turns text", () => {
  it("is shown, but for the joiner inside of one emoji", () => {
    expect(visible("a\u202Eb\u200Bc\u200Dd")).toBe("a⟨U+202E⟩b⟨U+200B⟩c⟨U+200D⟩d");
    expect(visible("👩‍👩‍👧 🏳️‍🌈 👩🏽‍💻")).toBe("👩‍👩‍👧 🏳️‍🌈 👩🏽‍💻");
    expect(visible("👩\u200D")).toBe("👩⟨U+200D⟩");
  });
  it("has no word for a kind that only every object has", () => {
    for (const kind of ["toString", "constructor", "__proto__"]) expect(t.words.kind[kind]).toBeUndefined();
  });
});
