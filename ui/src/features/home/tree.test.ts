// Forks under what they were made from, folded or not, in time that grows with the rows alone.
import { describe, expect, it } from "vitest";
import { powerOf, STILL_LINEAR } from "../../../tests/growth";
import type { RunRow } from "../../ipc/bindings";
import { treeOf } from "./tree";

const row = (run: string, parent: string | null = null) => ({ run, parent }) as RunRow;
const told = (rows: RunRow[], folded: string[] = []) =>
  treeOf(rows, new Set(folded)).map(
    (b) => `${"-".repeat(b.depth)}${b.row.run}${b.forks ? `(${b.forks})` : ""}${b.isFolded ? "…" : ""}`,
  );

describe("the tree of forks", () => {
  const rows = [row("a"), row("b", "a"), row("c", "b"), row("d", "a"), row("e")];

  it("nests each under its parent and counts all below", () => {
    expect(told(rows)).toEqual(["a(3)", "-b(1)", "--c", "-d", "e"]);
  });

  it("leaves out what is folded, and what is inside of that", () => {
    expect(told(rows, ["a"])).toEqual(["a(3)…", "e"]);
    expect(told(rows, ["b"])).toEqual(["a(3)", "-b(1)…", "-d", "e"]);
    // What has no forks can't be folded.
    expect(told(rows, ["e"])).toEqual(["a(3)", "-b(1)", "--c", "-d", "e"]);
  });

  it("stands for itself where its parent is not shown", () => {
    expect(told([row("x", "gone"), row("y", "x")])).toEqual(["x(1)", "-y"]);
  });

  it("takes ten thousand in a line, in time that grows with their number", () => {
    const chain = (length: number) => Array.from({ length }, (_, n) => row(`r${n}`, n === 0 ? null : `r${n - 1}`));
    expect(treeOf(chain(10_000), new Set())).toHaveLength(10_000);
    expect(powerOf(chain, (many) => treeOf(many, new Set()))).toBeLessThan(STILL_LINEAR);
  });
});
