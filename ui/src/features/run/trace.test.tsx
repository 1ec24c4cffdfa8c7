// The trace on show: how much of it, from step to step by key, and words while they come.
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskDetail } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { blank } from "../../ipc/demo/recorded";
import { thinking, turnsOf } from "../../ipc/demo/turns";
import { setHost } from "../../ipc/host";
import { Trace } from "./Trace";
import { setDetail, stepTrace } from "./traceStore";

const agent = { id: "look", task_type: "agent", tools: ["sql.query"] };

function detailOf(attempts: TaskDetail["attempts"]): TaskDetail {
  return {
    task: blank("look"),
    title: "Look",
    taskType: "agent",
    detail: "",
    instruction: "Look.",
    inputs: [],
    output: null,
    acceptedAfterRejections: 0,
    flags: [],
    attempts,
    events: [],
  };
}

function done(): TaskDetail["attempts"] {
  const calls = turnsOf("k", agent, `{"flagged":true}`, null, Date.now());
  return [{ number: 1, goesOn: false, startedAt: 1, endedAt: 2, calls, error: null }];
}

const show = (attempts: TaskDetail["attempts"]) => render(<Trace run="r" task="look" detail={detailOf(attempts)} />);

describe("the trace of a task", () => {
  beforeEach(() => {
    setHost(demoHost());
    setDetail("steps");
  });
  afterEach(cleanup);

  it("shows thought, call, observation and answer, what came from outside marked as such", () => {
    show(done());
    const steps = [...document.querySelectorAll<HTMLElement>("[data-step]")].map((step) => step.dataset.step);
    expect(steps).toEqual(["thought", "call", "observation", "thought", "answer"]);
    expect(screen.getByTestId("step-call").textContent).toContain("sql.query");
    expect(screen.getByTestId("step-observation").textContent).toContain("untrusted");
    expect(screen.getByTestId("step-answer").textContent).toContain("flagged");
    expect(screen.getAllByTestId("step-thought")[0]?.textContent).toContain("812 in, 46 out");
  });

  it("is brief or raw where one wants that", () => {
    show(done());
    act(() => setDetail("raw"));
    expect(screen.getAllByTestId("step-thought")[0]?.textContent).toContain("complete");
    act(() => setDetail("brief"));
    expect(screen.getByTestId("step-call").textContent).toContain(`{"sku":"4417"}`);
    expect(screen.queryAllByTestId("value")).toHaveLength(0);
  });

  it("is walked by key, from the newest step on, and stays at its ends", () => {
    show(done());
    Element.prototype.scrollIntoView = vi.fn();
    const at = () => (document.activeElement as HTMLElement).dataset.step;
    expect(stepTrace(-1)).toBe(true);
    expect(at()).toBe("answer");
    stepTrace(-1);
    stepTrace(-1);
    expect(at()).toBe("observation");
    for (let more = 0; more < 5; more += 1) stepTrace(1);
    expect(at()).toBe("answer");
    cleanup();
    expect(stepTrace(1)).toBe(false);
  });

  it("tells the words under way without drawing anything else", async () => {
    const end = vi.fn();
    const host = demoHost();
    setHost({
      ...host,
      watchWords: async (_run, _task, delta) => {
        delta("I need ", false);
        delta("the prices", true);
        return end;
      },
    });
    const { unmount } = show([thinking("k")]);
    await vi.waitFor(() => expect(screen.getByTestId("trace-live").textContent).toBe("I need the prices"));
    unmount();
    await vi.waitFor(() => expect(end).toHaveBeenCalledOnce());
  });
});
