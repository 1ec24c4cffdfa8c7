// Rows of the schedule: their order and lanes, a scale that keeps bars readable, and unknown times that stay unknown.
import { describe, expect, it } from "vitest";
import type { DryRunView, PredictedView } from "../../../ipc/bindings";
import { moment, rowsByLane, rowsByTask, scaleOf, takes, ticksOf, tickText } from "./rows";

const range = (low: number, high: number | null) => ({ low, likely: high, high });

function task(id: string, from: number, to: number, more: Partial<PredictedView> = {}): PredictedView {
  return {
    task: id,
    start: range(from, from),
    end: range(to, to),
    lane: 0,
    drawnFrom: from,
    drawnTo: to,
    isAssumed: false,
    asks: false,
    ...more,
  };
}

const run = (tasks: PredictedView[]): DryRunView => ({
  tasks,
  seconds: range(0, 1),
  critical: ["a"],
  lanes: 2,
  leftOut: [],
  atOnce: 16,
  untimed: [],
});

describe("the schedule's rows", () => {
  it("come in the order in which tasks start, and by slot", () => {
    const dry = run([task("b", 2, 4), task("a", 0, 2), task("c", 0, 3, { lane: 1 })]);
    expect(rowsByTask(dry, (id) => id).map((row) => row.label)).toEqual(["a", "c", "b"]);
    expect(rowsByLane(dry).map((row) => row.bars.map((bar) => bar.task))).toEqual([["a", "b"], ["c"]]);
    const first = rowsByTask(dry, (id) => id)[0]?.bars[0];
    expect(first).toMatchObject({ from: 0, width: 50, isOnPath: true });
  });

  it("stretch for late ends, but not until bars are lost", () => {
    expect(scaleOf(run([task("a", 0, 2, { end: range(2, 5) })]))).toBe(5);
    expect(scaleOf(run([task("a", 0, 2, { end: range(2, 500) })]))).toBe(8);
    expect(scaleOf(run([]))).toBeGreaterThan(0);
  });

  it("say unknown, never 0", () => {
    const open = task("a", 0, 1, { end: range(0, null), isAssumed: true });
    expect(takes(open)).toBe("unknown");
    expect(moment(open.end)).toBe("unknown");
    expect(moment(range(0, 0))).toBe("at once");
    expect(rowsByTask(run([open]), (id) => id)[0]?.bars[0]?.reach).toBeNull();
  });

  it("have round ticks", () => {
    expect(ticksOf(9, 6)).toEqual([0, 2, 4, 6, 8]);
    expect(ticksOf(420, 6)).toEqual([0, 120, 240, 360]);
    expect(ticksOf(0.001, 6).length).toBeLessThan(9);
    for (const whole of [0.001, 0.03, 0.25, 0.9, 1.3, 9, 75, 420, 4000, 90_000]) {
      const ticks = ticksOf(whole, 6);
      const texts = ticks.map((at) => tickText(at, ticks));
      expect(new Set(texts).size, texts.join(", ")).toBe(texts.length);
    }
  });
});
