// Forks under what they were made from, folded or not, in time that grows with the rows alone.
import { describe, expect, it } from "vitest";
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

  it("takes five thousand in a line", () => {
    const many = Array.from({ length: 5000 }, (_, n) => row(`r${n}`, n === 0 ? null : `r${n - 1}`));
    const begun = performance.now();
    expect(treeOf(many, new Set())).toHaveLength(5000);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
