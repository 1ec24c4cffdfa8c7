// A plan on show while it is written: cards as its tasks are named, the raw answer behind one click, and its end.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { demoHost } from "../../ipc/demo";
import { setHost } from "../../ipc/host";
import { planOn } from "../../state/planning";
import { PlanningGate } from "./PlanningGate";

describe("a plan that is being written", () => {
  it("shows each task as a card, and the words of it at a click", async () => {
    const host = demoHost({ pace: 0.8 });
    setHost(host);
    const goal = {
      text: "Know our margins",
      model: null,
      tools: null,
      usd: null,
      seconds: null,
      attachments: [],
      mayAsk: false,
    };
    const run = await host.openGoal(goal as unknown as Parameters<typeof host.openGoal>[0]);
    void planOn(run);
    render(<PlanningGate run={run}>the editor</PlanningGate>);
    const sketch = await screen.findByTestId("planning-sketch");
    expect(screen.getByTestId("leave-planning")).toBeTruthy();
    expect(screen.getByTestId("planning-spent")).toBeTruthy();
    await waitFor(() => expect(Number(sketch.dataset.count)).toBeGreaterThan(1), { timeout: 15_000 });
    expect(sketch.querySelectorAll(".react-flow__node").length).toBeGreaterThan(1);
    expect(screen.getByRole("status").textContent).toMatch(/\d+ tasks named/);
    const raw = screen.getByTestId("planning-raw").closest("details") as HTMLDetailsElement;
    expect(raw.open).toBe(false);
    fireEvent.click(screen.getByTestId("planning-raw"));
    await waitFor(() => expect(screen.getByTestId("planning-growing").textContent).toContain('"tasks"'));
    await screen.findByText("the editor");
  });
});
