// What inputs may read: all that comes before, the nearest first, in loops and large plans too.
import { expect, test } from "vitest";
import { readableOf } from "./readable";

const edge = (from: string, to: string) => ({ from, to });

test("the nearest comes first, and what comes after is no choice", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("x", "c"), edge("c", "d")];
  expect(readableOf("c", edges)).toEqual(["b", "x", "a"]);
  expect(readableOf("a", edges)).toEqual([]);
});

test("a loop ends, and the task itself is not among them", () => {
  expect(readableOf("a", [edge("a", "b"), edge("b", "a"), edge("a", "a")])).toEqual(["b"]);
});

test("a task without an id can't be named", () => {
  expect(readableOf("b", [edge("#0", "b"), edge("a", "#0")])).toEqual(["a"]);
});

test("of a long chain only the nearest are listed", () => {
  const chain = Array.from({ length: 10_000 }, (_, n) => edge(`t${n}`, `t${n + 1}`));
  const found = readableOf("t10000", chain);
  expect(found).toHaveLength(200);
  expect(found[0]).toBe("t9999");
});
