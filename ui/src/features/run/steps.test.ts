// From the calls of attempts to the steps of a trace: turns, what was asked and not made, answers that were sent back.
import { describe, expect, it } from "vitest";
import type { AttemptView, CallView } from "../../ipc/bindings";
import { callOf } from "../../ipc/demo/recorded";
import { thinking } from "../../ipc/demo/turns";
import { briefOf, type Step, stepsOf } from "./steps";

const came = { result: `{"n":1}`, error: null, startedAt: 1000 };
const paid = { inputTokens: 10, outputTokens: 5, usd: null, isCounted: true };

function said(text: string, ...calls: [string, string][]): CallView {
  const reply = { thoughts: [], text, calls: calls.map(([name, args]) => ({ name, arguments: args })) };
  return { ...callOf("k", "m", "null", came), endedAt: 1500, isModel: true, reply, paid };
}

function tool(turn: string, error: CallView["error"] = null): CallView {
  return { ...callOf("k", "file.read", `{"path":"a"}`, { ...came, error, result: error ? null : `"text"` }), turn };
}

function attempt(calls: CallView[], goesOn = false): AttemptView {
  return { number: 1, goesOn, startedAt: 1000, endedAt: 2000, calls, error: null };
}

const words = (steps: Step[]) => steps.map((step) => `${step.turn ?? "-"} ${step.kind}`);

describe("the steps of a trace", () => {
  it("tells each turn: the thought, each call with what it gave, and at last the answer", () => {
    const reads = said("I look first.", ["file.read", "{}"], ["file.read", "{}"]);
    const [steps] = stepsOf([attempt([reads, tool("1.0"), tool("1.1"), said("", ["submit_result", `{"result":3}`])])]);
    expect(words(steps ?? [])).toEqual(["1 thought", "1 call", "1 observation", "1 call", "1 observation", "2 answer"]);
    expect(steps?.at(-1)).toMatchObject({ json: `{"result":3}`, isSentBack: false, paid });
    expect(steps?.[0]).toMatchObject({ text: "I look first.", took: 500 });
  });

  it("says which answers were sent back, and which calls were asked for and not made", () => {
    const [steps] = stepsOf([attempt([said("", ["nothing.do", `{"x":1}`]), said("no JSON"), said("done")])]);
    expect(words(steps ?? [])).toEqual(["1 thought", "1 notMade", "2 answer", "3 answer"]);
    expect(steps?.slice(2).map((step) => step.kind === "answer" && step.isSentBack)).toEqual([true, false]);
    expect(briefOf(steps?.[1] as Step)).toBe(`{"x":1}`);
  });

  it("leaves open what the newest turn asked for, as it may still be made", () => {
    const [steps] = stepsOf([attempt([said("Now.", ["file.read", "{}"])])]);
    expect(words(steps ?? [])).toEqual(["1 thought"]);
  });

  it("counts turns on where an attempt goes on, anew where it begins anew, and by the calls where a reply was cut off", () => {
    const cut = { ...said(""), reply: null, error: { code: "cut", message: "too long" } };
    const all = stepsOf([
      attempt([said("a", ["file.read", "{}"]), tool("1.0")]),
      attempt([cut, said("b", ["file.read", "{}"]), tool("3.0")], true),
      attempt([said("c")]),
    ]);
    expect(all.map(words)).toEqual([
      ["1 thought", "1 call", "1 observation"],
      ["- failed", "3 thought", "3 call", "3 observation"],
      ["1 answer"],
    ]);
  });

  it("ends with what is being written, and shows the call of a plain tool with its error", () => {
    expect(words(stepsOf([thinking("k")])[0] ?? [])).toEqual(["1 live"]);
    const failed = { ...tool(""), turn: null, result: null, error: { code: "gone", message: "no such file" } };
    const [steps] = stepsOf([attempt([failed])]);
    expect(words(steps ?? [])).toEqual(["- call", "- observation"]);
    expect(briefOf(steps?.[1] as Step)).toBe("no such file");
  });
});
