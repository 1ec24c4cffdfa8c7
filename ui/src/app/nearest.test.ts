// What may have been meant by a mistyped word.
import { describe, expect, it } from "vitest";
import { distanceOf, nearest } from "./nearest";

const names = ["List view", "Review and approve", "Undo Paste", "Go to Settings", "Add: model call"];
const meant = (text: string) => nearest(names, (name) => name, text);

describe("what was meant", () => {
  it("is what is spelt almost the same, the closest first", () => {
    expect(meant("aprove")).toEqual(["Review and approve"]);
    expect(meant("lsit")).toEqual(["List view"]);
    expect(meant("setings")).toEqual(["Go to Settings"]);
    expect(meant("udno")).toEqual(["Undo Paste"]);
  });

  it("is nothing where nothing is close, or too little was typed", () => {
    expect(meant("bananas")).toEqual([]);
    expect(meant("zz")).toEqual([]);
  });

  it("counts letters", () => {
    expect([
      distanceOf("ab", "ab"),
      distanceOf("ab", "ba"),
      distanceOf("", "abc"),
      distanceOf("kitten", "sitting"),
    ]).toEqual([0, 1, 3, 3]);
  });
});
