// The time axis: places and positions belong together, idle stretches are cut, zoom keeps its place, and all of it is quick.
import { describe, expect, it } from "vitest";
import { powerOf, STILL_LINEAR } from "../../../tests/growth";
import type { SpanView, TimelineView } from "../../ipc/bindings";
import { axisOf, drawnOf, placeOf, realOf, seqAt, showing, ticksOf, wholeOf, zoomed } from "./axis";
import { checkpointOf, later, nextTick, rowsOf } from "./rows";

function span(
  track: number | null,
  kind: SpanView["kind"],
  from: number,
  to: number,
  lane: number | null = null,
): SpanView {
  return { track, kind, from, to, end: "done", attempt: 1, lane, code: null, isSetAside: false };
}

function line(at: number[], spans: SpanView[], more: Partial<TimelineView> = {}): TimelineView {
  const tracks = [...new Set(spans.map((s) => s.track ?? 0))].map((ix) => ({
    task: `t${ix}`,
    title: `Task ${ix}`,
    taskType: "tool",
    owner: null,
    isCritical: false,
    workMs: 0,
    personMs: 0,
    cost: { calls: 0, inputTokens: 0, outputTokens: 0, usd: "0", unknown: 0, guessed: 0 },
  }));
  return { at, spans, tracks, ticks: [], lanes: 1, head: at.length, ...more } as unknown as TimelineView;
}

const HOUR = 3_600_000;

describe("the time axis", () => {
  it("is as long as the run where somebody was at work all the time", () => {
    const axis = axisOf(line([0, 1000, 5000], [span(0, "work", 1, 3)]));
    expect([axis.length, axis.cuts.length]).toEqual([5000, 0]);
    expect(placeOf(axis, 2)).toBe(1000);
    expect([seqAt(axis, 0), seqAt(axis, 999), seqAt(axis, 1000), seqAt(axis, 9999)]).toEqual([1, 1, 2, 3]);
  });

  it("cuts a night of waiting short, and finds every moment of it again", () => {
    const at = [0, 10_000, 8 * HOUR, 8 * HOUR + 20_000];
    const axis = axisOf(line(at, [span(0, "work", 1, 2), span(1, "person", 2, 3), span(2, "work", 3, 4)]));
    expect(axis.cuts).toHaveLength(1);
    expect(axis.length).toBeLessThan(120_000);
    for (const ms of [0, 5000, 10_000, HOUR, 7 * HOUR, 8 * HOUR, 8 * HOUR + 9000])
      expect(Math.abs(realOf(axis, drawnOf(axis, ms)) - ms)).toBeLessThan(1);
    const texts = ticksOf(axis, wholeOf(axis), 8).map((tick) => tick.text);
    expect(texts).toContain("0:00");
    expect(texts.some((text) => text.startsWith("8:00:"))).toBe(true);
  });

  it("zooms around a place that stays, within the run", () => {
    const near = zoomed({ from: 0, to: 1000 }, 2, 250, 1000);
    expect((250 - near.from) / (near.to - near.from)).toBeCloseTo(0.25);
    expect(near.to - near.from).toBe(500);
    expect(zoomed(near, 0.1, 250, 1000)).toEqual({ from: 0, to: 1000 });
    expect(showing({ from: 0, to: 100 }, 500, 1000).to).toBeGreaterThan(500);
    expect(showing({ from: 0, to: 100 }, 50, 1000)).toEqual({ from: 0, to: 100 });
  });

  it("has rows by task, work inside a map in its owner's row, and rows by worker", () => {
    const spans = [
      span(1, "work", 1, 2, 0),
      span(0, "work", 2, 5),
      span(2, "work", 3, 4, 1),
      span(null, "replan", 4, 5),
    ];
    const told = line([0, 1, 2, 3, 4], spans, { lanes: 2 });
    told.tracks = [
      { ...(told.tracks[0] as TimelineView["tracks"][number]), task: "map" },
      { ...(told.tracks[0] as TimelineView["tracks"][number]), task: "first" },
      { ...(told.tracks[0] as TimelineView["tracks"][number]), task: "map[0]", owner: 0 },
    ];
    const byTask = rowsOf(told, "tasks");
    expect(byTask.map((row) => row.key)).toEqual(["run", "first", "map"]);
    expect(byTask[2]?.inner.map((bar) => bar.track?.task)).toEqual(["map[0]"]);
    const byWorker = rowsOf(told, "workers");
    expect(byWorker.map((row) => row.bars.map((bar) => bar.track?.task))).toEqual([["first"], ["map[0]"]]);
  });

  it("steps from checkpoint to checkpoint and counts what comes later", () => {
    const ticks: TimelineView["ticks"] = [
      { seq: 2, kind: "checkpoint", track: 0 },
      { seq: 4, kind: "effect", track: 0 },
      { seq: 6, kind: "checkpoint", track: 0 },
    ];
    expect([nextTick(ticks, 2, 1, "checkpoint"), nextTick(ticks, 2, -1, "checkpoint")]).toEqual([6, null]);
    expect([later(ticks, 3, "effect"), later(ticks, 4, "effect"), checkpointOf(ticks, 5)]).toEqual([1, 0, 1]);
  });

  it("takes 50,000 events in time that grows with their number", () => {
    const run = (tasks: number) => {
      const at = Array.from({ length: tasks * 5 }, (_, ix) => ix * 7);
      const spans = Array.from({ length: tasks * 2 }, (_, ix) =>
        span(ix % tasks, "work", ix * 2 + 1, ix * 2 + 6, ix % 16),
      );
      return line(at, spans, { lanes: 16 });
    };
    const told = run(10_000);
    const rows = [rowsOf(told, "tasks"), rowsOf(told, "workers")];
    expect(rows.map((some) => some.length)).toEqual([10_000, 16]);
    const drawn = (given: ReturnType<typeof run>) => {
      const axis = axisOf(given);
      rowsOf(given, "tasks");
      rowsOf(given, "workers");
      for (let step = 0; step < 100; step += 1) seqAt(axis, placeOf(axis, step * 50 + 1));
    };
    expect(powerOf(run, drawn)).toBeLessThan(STILL_LINEAR);
  });
});
