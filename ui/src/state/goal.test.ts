// What a goal becomes for the engine: names of parameters, grants of exactly what was attached, amounts as typed.
import { describe, expect, it } from "vitest";
import { asked, type Goal, isReady, parameterNames } from "./goal";

const goal = (part: Partial<Goal>): Goal => ({ text: "Do it", tools: null, cap: "", minutes: "", files: [], ...part });

describe("a goal", () => {
  it("names parameters after files, in words that a plan takes, each once", () => {
    const named = (...paths: string[]) => parameterNames(paths);
    expect(named("/a/Price list (new).csv", "/b/price-list-new.csv")).toEqual(["price_list_new", "price_list_new_2"]);
    expect(named("C:\\data\\costDB.sqlite", "/x/2026.csv", "/x/.env")).toEqual(["cost_db", "file_2026", "env"]);
    expect(named("/x/Überblick.md", "/x/価格.csv", "/x/")).toEqual(["uberblick", "file", "x"]);
  });

  it("grants exactly the file, or what lies in the folder", () => {
    const files = [
      { path: "/d/a[1]*.csv", isFolder: false },
      { path: "/d/in", isFolder: true },
    ];
    const { grantsJson, parametersJson } = asked(goal({ files }));
    expect(JSON.parse(grantsJson!)).toEqual({ read: ["/d/a[[]1[]][*].csv", "/d/in/"] });
    expect(JSON.parse(parametersJson!)).toEqual({
      a_1: { type: "string", title: "a[1]*.csv", default: "/d/a[1]*.csv" },
      in: { type: "string", title: "in", default: "/d/in" },
    });
  });

  it("gives amounts as they were typed, and nothing where there is none", () => {
    expect(asked(goal({ cap: " 0.10 ", minutes: "15" })).budgetJson).toBe('{"usd":0.10,"seconds":900}');
    expect(asked(goal({ cap: "007" })).budgetJson).toBe('{"usd":7}');
    expect(asked(goal({}))).toMatchObject({ budgetJson: null, grantsJson: null, parametersJson: null, tools: null });
  });

  it("is ready with words and amounts that are some", () => {
    expect(isReady(goal({}))).toBe(true);
    for (const part of [{ text: "  " }, { cap: "a lot" }, { cap: "0" }, { minutes: "1.5" }, { cap: "1e9" }])
      expect(isReady(goal(part)), JSON.stringify(part)).toBe(false);
  });
});
