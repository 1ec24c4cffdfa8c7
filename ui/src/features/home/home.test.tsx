// Home: samples lead as long as there is nothing else; after that what waits, what runs and what is newest come first.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { RunRow, RunStatus } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { useLists } from "../../state/lists";
import { HomeScreen } from "./HomeScreen";
import { ordered } from "./ordered";

let host: Host;
beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  useLists.setState({ home: null });
});

const row = (run: string, status: RunStatus, openDecisions = 0) => ({ run, status, openDecisions }) as RunRow;
const precedes = (a: Element, b: Element) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

describe("Home", () => {
  it("stands in the order of what people need", () => {
    const rows = [
      row("done", "SUCCEEDED"),
      row("draft", "AWAITING_APPROVAL"),
      row("runs", "RUNNING"),
      row("asks", "RUNNING", 1),
      row("planner asks", "AWAITING_APPROVAL", 1),
      row("blocked", "BLOCKED"),
      row("old", "FAILED"),
    ];
    expect(ordered(rows).map((one) => one.run)).toEqual([
      "asks",
      "planner asks",
      "blocked",
      "runs",
      "done",
      "draft",
      "old",
    ]);
  });

  it("begins with all samples where there is nothing yet", async () => {
    render(<HomeScreen />);
    const samples = await screen.findByTestId("samples-of-home");
    expect(screen.queryByTestId("all-samples")).toBeNull();
    expect(precedes(samples, screen.getByText("No run yet"))).toBe(true);
    const { samples: all } = await host.home();
    expect(samples.querySelectorAll(".sample")).toHaveLength(all.length);
  });

  it("puts what was begun before the samples, which fold into one row that opens by key", async () => {
    const { samples: some } = await host.home();
    await host.newPlan();
    const more = Array.from({ length: 12 }, (_, n) => ({
      ...(some[0] as (typeof some)[0]),
      title: `S ${n}`,
      path: `${n}`,
    }));
    setHost({ ...host, home: async () => ({ ...(await host.home()), samples: more }) });
    render(<HomeScreen />);
    const samples = await screen.findByTestId("samples-of-home");
    await waitFor(() => expect(precedes(screen.getByTestId("runs"), samples)).toBe(true));
    expect(samples.querySelectorAll(".sample")).toHaveLength(4);
    const all = screen.getByRole("button", { name: "All 12 samples" });
    expect(all.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(all);
    expect(samples.querySelectorAll(".sample")).toHaveLength(12);
  });
});
