// A watched run: news replace, never add twice; the demo's run goes all the way.
import { describe, expect, it } from "vitest";
import type { EventView, RunNews, RunRow, TaskView } from "../ipc/bindings";
import { demoHost } from "../ipc/demo";
import { NOTHING_SPENT } from "../ipc/demo/recorded";
import { changes } from "./announce";
import { fold, useRun } from "./run";

const row: RunRow = {
  run: "r",
  tags: [],
  parent: null,
  title: "R",
  goal: null,
  status: "RUNNING",
  revision: 1,
  startedAt: 0,
  changedAt: 0,
  ranMs: 0,
  counts: [],
  openDecisions: 0,
  spent: NOTHING_SPENT,
  budget: { usd: null, tokens: null, seconds: null },
  owner: null,
  trouble: null,
};
const task = (id: string, status: TaskView["status"]): TaskView => ({
  id,
  status,
  attempts: 1,
  maxAttempts: 4,
  wait: null,
  startedAt: null,
  endedAt: null,
  error: null,
  summary: null,
  pinned: false,
  breakpoint: null,
});
const event = (seq: number): EventView => ({ seq, at: seq, kind: "task_started", task: "a", text: "started" });
const news = (tasks: TaskView[], events: EventView[]): RunNews => ({
  run: row,
  seq: events.length,
  digest: "d",
  events,
  tasks,
  decisions: [],
  output: null,
  folder: null,
});

describe("a run", () => {
  it("keeps the items of a map while its plan stands, and begins anew with another plan", () => {
    const first = {
      ...useRun.getState(),
      ...fold(useRun.getState(), news([task("m[0]", "RUNNING"), task("m[1]", "READY")], [])),
    };
    expect(first.items.get("m")).toEqual(["RUNNING", "READY"]);
    const second = { ...first, ...fold(first, news([task("m[0]", "COMPLETED")], [])) };
    expect(second.items.get("m")).toEqual(["COMPLETED", "READY"]);
    const third = fold(second, { ...news([task("m[0]", "READY")], []), digest: "e" });
    expect(third.items?.get("m")).toEqual(["READY"]);
  });

  it("replaces the tasks that changed and keeps the others", () => {
    const first = {
      ...useRun.getState(),
      ...fold(useRun.getState(), news([task("a", "RUNNING"), task("b", "PENDING")], [event(1)])),
    };
    const second = fold(first, news([task("a", "COMPLETED")], [event(2)]));
    expect(second.tasks?.get("a")?.status).toBe("COMPLETED");
    expect(second.tasks?.get("b")?.status).toBe("PENDING");
    expect(first.tasks.get("a")?.status).toBe("RUNNING");
  });

  it("takes each event once, though a watch begins again", () => {
    const first = { ...useRun.getState(), ...fold(useRun.getState(), news([], [event(1), event(2)])) };
    expect(fold(first, news([], [event(1), event(2), event(3)])).events?.map((e) => e.seq)).toEqual([1, 2, 3]);
  });

  it("is told to a screen reader in groups, and at once where a person is needed", () => {
    const before = new Map([
      ["a", task("a", "RUNNING")],
      ["b", task("b", "RUNNING")],
      ["c", task("c", "PENDING")],
    ]);
    const now = new Map([
      ["a", task("a", "COMPLETED")],
      ["b", task("b", "COMPLETED")],
      ["c", task("c", "WAITING")],
    ]);
    expect(changes(before, now, new Map([["c", "Check"]]))).toEqual({
      polite: "2 tasks done",
      urgent: "Check: Waiting for you",
    });
    expect(changes(new Map(), now, new Map())).toEqual({ polite: "", urgent: "" });
  });

  it("of the demo asks its question, takes the answer once, and ends with a report", async () => {
    const host = demoHost({ pace: 0.002 });
    const { run } = await host.openPlan("samples/margin-report");
    const heard: RunNews[] = [];
    await host.approve(run, (await host.approval(run)).digest, "{}", { off: [], flows: [] });
    await host.watchRun(
      run,
      0,
      (n) => heard.push(n),
      () => undefined,
    );
    const until = async (done: () => boolean) => {
      for (let n = 0; n < 200 && !done(); n++) await new Promise((r) => setTimeout(r, 10));
    };
    await until(() => (heard[heard.length - 1]?.decisions.length ?? 0) > 0);
    const [question] = await host.inbox();
    await host.decide(run, question!.id, '{"verdict":"Real"}');
    await expect(host.decide(run, question!.id, '{"verdict":"Wrong"}')).rejects.toThrow("answered");
    await until(() => heard[heard.length - 1]?.run.status === "SUCCEEDED");
    expect(heard[heard.length - 1]?.output).toContain("Margin report");
    expect(heard.some((n) => n.tasks.some((x) => x.status === "RETRYING"))).toBe(true);
  });
});
