// Lines side by side, and what of two lines differs: nothing is lost, and the other way round is the mirror image.
import { describe, expect, it } from "vitest";
import type { Hunk, HunkLine } from "../../ipc/bindings";
import { partsOf, rowsOf } from "./places";

const line = (a: number | null, b: number | null, text: string): HunkLine => ({ a, b, text, other: null, leftOut: 0 });
const hunk = (...lines: HunkLine[]): Hunk => ({ lines, aLeftOut: 0, bLeftOut: 0 });

describe("rows", () => {
  it("puts lines that differ beside each other, and lets the longer side go on alone", () => {
    const rows = rowsOf(
      hunk(line(1, 1, "same"), line(2, null, "old"), line(null, 2, "new"), line(null, 3, "more"), line(3, 4, "end")),
    );
    expect(rows.map((row) => [row.a?.text ?? null, row.b?.text ?? null, row.change])).toEqual([
      ["same", "same", null],
      ["old", "new", 0],
      [null, "more", 0],
      ["end", "end", null],
    ]);
  });

  it("shows either side's own spaces where these are passed over", () => {
    const [row] = rowsOf(hunk({ ...line(1, 1, "a  b"), other: "a b" }));
    expect([row?.a?.text, row?.b?.text]).toEqual(["a  b", "a b"]);
  });
});

describe("parts of a line", () => {
  it("marks what is its own, whole characters at a time", () => {
    expect(partsOf("7 of 48", "9 of 48")).toEqual(["", "7", " of 48"]);
    expect(partsOf("prices.png", "prices.png, moves.png")).toEqual(["prices.png", "", ""]);
    expect(partsOf("a👩‍👧b", "a👩b")[1]).toBe("‍👧");
    expect(partsOf("new", null)).toEqual(["", "new", ""]);
  });

  it("loses nothing and is mirrored", () => {
    const words = ["", "a", "ab", "aba", "abba", "bab", "ba", "b"];
    for (const one of words)
      for (const two of words) {
        const [parts, others] = [partsOf(one, two), partsOf(two, one)];
        expect(parts.join("")).toBe(one);
        expect([parts[0], parts[2]]).toEqual([others[0], others[2]]);
      }
  });
});
