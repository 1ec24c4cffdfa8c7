// The head of the approval: ranges against the cap and the time limit, and that unknown is said and never drawn as nothing.
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { ApprovalView, EstimateView } from "../../ipc/bindings";
import { EstimateHead } from "./EstimateHead";

const NONE = { low: 0, likely: 0, high: 0 };

function estimate(more: Partial<EstimateView>): EstimateView {
  return {
    usd: { low: "0.1", likely: "0.15", high: "0.24" },
    tokens: { low: 1200, likely: 3000, high: 40_000 },
    seconds: { low: 180, likely: 200, high: 300 },
    calls: { low: 2, likely: 5, high: 160 },
    freeCalls: { low: 1, likely: 4, high: 150 },
    critical: ["a", "b"],
    unpriced: [],
    untimed: [],
    tasks: [
      {
        task: "a",
        usd: { low: "0", likely: "0", high: "0" },
        seconds: NONE,
        tokens: NONE,
        calls: NONE,
        runs: 0,
        asks: false,
      },
    ],
    ...more,
  };
}

function shown(more: Partial<EstimateView>, budget: Partial<ApprovalView["budget"]> = {}) {
  const approval = {
    estimate: estimate(more),
    budget: { usd: "0.5", tokens: null, seconds: null, ...budget },
    asks: ["ask"],
    tasks: 3,
  } as unknown as ApprovalView;
  render(<EstimateHead approval={approval} name={(id) => id.toUpperCase()} />);
  return {
    cost: screen.getByTestId("estimate-cost").textContent ?? "",
    time: screen.getByTestId("estimate-time").textContent ?? "",
    whole: screen.getByTestId("estimate").textContent ?? "",
  };
}

describe("the estimate", () => {
  it("shows ranges against the cap, what is likely, the calls and the longest path", () => {
    const { cost, time, whole } = shown({});
    expect(cost).toContain("$0.100\u2009–\u20090.240");
    expect(cost).toContain("likely $0.150");
    expect(cost).toContain("cap $0.500");
    expect(cost).not.toContain("pass the cap");
    expect(time).toContain("3\u2009–\u20095 min");
    expect(time).toContain("plus your part in ASK.");
    expect(time).toContain("Longest path: 2 of 3 tasks.");
    expect(whole).toContain("2\u2009–\u2009160 questions to models, 1\u2009–\u2009150 of them free");
    expect(screen.getByRole("img", { name: /Cost: .*likely \$0.150, of at most \$0.500/ })).toBeTruthy();
  });

  it("says that the cap may be passed", () => {
    expect(shown({}, { usd: "0.2" }).cost).toContain("It may pass the cap");
  });

  it("says unknown where nobody knows, and whose", () => {
    const open = { low: 0, likely: null, high: null };
    const { cost, time } = shown({
      usd: { low: "0", likely: null, high: null },
      seconds: open,
      unpriced: ["a", "b", "c", "d"],
      untimed: ["a"],
    });
    expect(cost).toContain("Costunknown");
    expect(cost).toContain("Nobody knows what A, B, C and 1 more cost.");
    expect(cost).not.toContain("free");
    expect(time).toContain("Timeunknown");
    expect(time).toContain("No task like these has run here yet");
  });

  it("says that no model is asked", () => {
    expect(shown({ calls: NONE, freeCalls: NONE, usd: { low: "0", likely: "0", high: "0" } }).cost).toContain(
      "No model is asked.",
    );
  });
});
