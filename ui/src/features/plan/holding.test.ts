// Pins and breakpoints of the demo host, by the engine's rules: a copy has them, and what is held costs nothing.
import { describe, expect, it } from "vitest";
import { demoHost } from "../../ipc/demo";
import { draftCards } from "../../state/cards";
import { byTask } from "../../state/estimateTexts";

describe("what is laid on a draft", () => {
  it("goes into a new draft of the same plan, which is its own", async () => {
    const host = demoHost({ pace: 0 });
    const { run } = await host.openPlan("samples/margin-report");
    await host.hold(run, "get_rates", '{"EUR":1.5}');
    await host.breakAt(run, "margins", "before");
    const copy = await host.draftFromRun(run);
    const task = (id: string) => copy.tasks.find((one) => one.id === id);
    expect([task("get_rates")?.pinned, task("margins")?.breakpoint]).toEqual([true, "before"]);
    await host.hold(copy.run, "get_rates", null);
    expect(await host.heldOutput(run, "get_rates")).toBe('{"EUR":1.5}');
  });

  it("counts for nothing in the estimate, and asks nobody", async () => {
    const host = demoHost({ pace: 0 });
    const { run } = await host.openPlan("samples/margin-report");
    const before = await host.estimate(run);
    await host.hold(run, "get_rates", "{}");
    await host.hold(run, "check_outliers", "{}");
    const after = await host.estimate(run);
    const of = (estimate: typeof after, id: string) => estimate?.tasks.find((task) => task.task === id);
    expect(of(before, "get_rates")?.seconds.high).toBeGreaterThan(0);
    expect(of(after, "get_rates")?.seconds).toEqual({ low: 0, likely: 0, high: 0 });
    expect([of(before, "check_outliers")?.asks, of(after, "check_outliers")?.asks]).toEqual([true, false]);
    expect((await host.approval(run)).asks).toEqual([]);
  });

  it("is what its card says, in the place of time and cost", async () => {
    const host = demoHost({ pace: 0 });
    const { run } = await host.openPlan("samples/margin-report");
    const view = await host.hold(run, "check_outliers", "{}");
    const cards = draftCards(view, [], byTask(await host.estimate(run)));
    expect(cards.find((card) => card.id === "check_outliers")).toMatchObject({ right: "pinned", isPinned: true });
    expect(cards.find((card) => card.id === "check_outliers")?.left).not.toBe("asks you");
    expect(cards.find((card) => card.id === "get_rates")?.right).toMatch(/≈ 1\.1 s/);
  });
});
