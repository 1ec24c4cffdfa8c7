// Looking back in the demo host: scrubbing, playback, the table, an attempt at a moment, the costs, and going back.
import { Tooltip } from "@base-ui/react/tooltip";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunNews } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { useRoute } from "../../state/route";
import { clearSelection } from "../../state/selection";
import { type Joined, ReviewScreen } from "./ReviewScreen";
import { settled, useReview } from "./store";

const JOINED: Joined = {
  trace: (_run, _task, detail) => <p data-testid="joined-trace">{JSON.stringify(detail.attempts)}</p>,
  inputs: () => <p>inputs</p>,
  output: (detail) => <p data-testid="joined-output">{detail.output}</p>,
};

let host: Host;
let run: string;

/** A run of the sample that has ended, with a retry and an answer in it. */
async function finished(): Promise<string> {
  const draft = await host.openPlan("samples/margin-report");
  const approval = await host.approval(draft.run);
  const flows = approval.untrusted.map(({ source, sink }) => ({ source, sink, allow: true }));
  await host.approve(draft.run, approval.digest, "{}", { off: [], flows } as unknown as Parameters<Host["approve"]>[3]);
  await new Promise<void>((resolve) => {
    const hear = (news: RunNews) => {
      for (const decision of news.decisions) void host.decide(draft.run, decision.id, `{"verdict":"Real"}`);
      if (news.run.status === "SUCCEEDED") resolve();
    };
    void host.watchRun(draft.run, 0, hear, () => undefined);
  });
  return draft.run;
}

beforeEach(async () => {
  host = demoHost({ pace: 0.01 });
  setHost(host);
  run = await finished();
  clearSelection();
});

afterEach(() => {
  vi.useRealTimers();
  useReview.setState({ run: null, line: null, axis: null, seq: 0, moment: null, plan: null, fault: null });
});

async function show() {
  render(
    <Tooltip.Provider>
      <ReviewScreen run={run} joined={JOINED} />
    </Tooltip.Provider>,
  );
  await screen.findByTestId("review");
}

const press = async (key: string, more: object = {}) => {
  await act(async () => {
    fireEvent.keyDown(document.body, { key, ...more });
    await settled();
  });
};
const seq = () => Number(screen.getByTestId("review").getAttribute("data-seq"));
const statusOf = (task: string) => screen.getByTestId(`pill-${task}`).getAttribute("data-status");

describe("looking back", () => {
  it("opens at the end, with the answer and what it was made from", async () => {
    await show();
    const { head } = await host.timeline(run);
    expect(seq()).toBe(head);
    expect(await screen.findByTestId("markdown")).toBeTruthy();
    expect(screen.getByTestId("sources").textContent).toContain("Save report");
    expect(statusOf("save_report")).toBe("COMPLETED");
  });

  it("steps by event and by checkpoint, and shows the plan as it was", async () => {
    await show();
    const end = seq();
    await press("ArrowLeft");
    expect(seq()).toBe(end - 1);
    await press("Home");
    expect([seq(), statusOf("save_report")]).toEqual([1, "PENDING"]);
    await press("ArrowRight", { shiftKey: true });
    const ticks = (await host.timeline(run)).ticks.filter((tick) => tick.kind === "checkpoint");
    expect(seq()).toBe(ticks.find((tick) => tick.seq > 1)?.seq);
    await press("End");
    expect(seq()).toBe(end);
    await press("ArrowRight");
    expect(seq()).toBe(end);
  });

  it("says where it is to a screen reader, and follows a drag", async () => {
    await show();
    const slider = screen.getByTestId("scrubber");
    expect(slider.getAttribute("aria-valuenow")).toBe(String(seq()));
    slider.getBoundingClientRect = () => ({ left: 0, width: 100, top: 0, height: 28 }) as DOMRect;
    await act(async () => {
      fireEvent.pointerDown(slider, { clientX: 0, buttons: 1 });
      await settled();
    });
    expect(seq()).toBeLessThan(12);
    expect(slider.getAttribute("aria-valuetext")).toContain("event");
  });

  it("plays as a film and stops at the end", async () => {
    await show();
    await press("Home");
    await press(" ");
    await waitFor(() => expect(useReview.getState().seq).toBe(useReview.getState().line?.head), { timeout: 5000 });
    await waitFor(() => expect(screen.getByTestId("play").getAttribute("aria-label")).toBe("Play"));
  });

  it("shows only what an attempt had come to by then", async () => {
    await show();
    const line = await host.timeline(run);
    const failure = line.ticks.find((tick) => tick.kind === "failure");
    await act(async () => fireEvent.click(screen.getByTestId("pill-read_contoso")));
    await screen.findByTestId("attempt-2");
    expect((screen.getByTestId("attempt-2") as HTMLButtonElement).disabled).toBe(false);
    await press("Home");
    for (let step = 1; step < (failure?.seq ?? 0); step += 1) await press("ArrowRight");
    expect(statusOf("read_contoso")).toBe("RETRYING");
    expect((screen.getByTestId("attempt-2") as HTMLButtonElement).disabled).toBe(true);
    expect(JSON.parse(screen.getByTestId("joined-trace").textContent ?? "[]")).toHaveLength(1);
    await act(async () => fireEvent.click(screen.getByTestId("tab-output")));
    expect(screen.queryByTestId("joined-output")).toBeNull();
  });

  it("says the same as a table, by task and by worker", async () => {
    await show();
    await press("t");
    const table = screen.getByTestId("span-table");
    expect(within(table).getAllByRole("row").length).toBeGreaterThan(9);
    expect(table.textContent).toContain("failed, transient");
    await act(async () => fireEvent.click(screen.getByText("By worker")));
    expect(screen.getByTestId("span-table").textContent).not.toContain("waiting for you");
    await press("t");
    expect(screen.getByTestId("gantt")).toBeTruthy();
  });

  it("looks closer and at all of it again", async () => {
    await show();
    expect((screen.getByTestId("axis-out") as HTMLButtonElement).disabled).toBe(true);
    await press("+");
    expect((screen.getByTestId("axis-out") as HTMLButtonElement).disabled).toBe(false);
    await press("0");
    expect((screen.getByTestId("axis-out") as HTMLButtonElement).disabled).toBe(true);
  });

  it("asks before a rewind, says what is reused and already done, and then goes to the run", async () => {
    await show();
    await press("r");
    expect(((await screen.findByTestId("going-back-do")) as HTMLButtonElement).disabled).toBe(true);
    fireEvent.click(screen.getByTestId("going-back-keep"));
    await press("Home");
    await press("ArrowRight", { shiftKey: true });
    await press("r");
    await screen.findByTestId("going-paid");
    expect(screen.getByTestId("going-again").textContent).toContain("Save report");
    expect(screen.getByTestId("going-effects").textContent).toContain("file.write");
    await act(async () => fireEvent.click(screen.getByTestId("going-back-do")));
    await waitFor(() => expect(useRoute.getState().route).toEqual({ screen: "run", run }));
    const row = (await host.listRuns()).find((one) => one.run === run);
    expect(row?.status).toBe("PAUSED");
  });

  it("forks into a draft that can be edited, and leaves the run as it is", async () => {
    await show();
    await press("f");
    await waitFor(() => expect((screen.getByTestId("fork-edit") as HTMLButtonElement).disabled).toBe(false));
    await act(async () => fireEvent.click(screen.getByTestId("fork-edit")));
    await waitFor(() => expect(useRoute.getState().route.screen).toBe("plan"));
    const { route } = useRoute.getState();
    const made = "run" in route ? route.run : "";
    expect(made).not.toBe(run);
    expect((await host.draft(made)).isDraft).toBe(true);
    expect((await host.listRuns()).find((one) => one.run === run)?.status).toBe("SUCCEEDED");
  });

  it("runs a task and all behind it again, after a question", async () => {
    await show();
    await act(async () => fireEvent.click(screen.getByTestId("pill-margins")));
    await act(async () => fireEvent.click(await screen.findByTestId("rerun")));
    await screen.findByTestId("going-reused");
    expect(screen.getByTestId("going-reused").textContent).toContain("Query cost database");
    await act(async () => fireEvent.click(screen.getByTestId("going-back-do")));
    await waitFor(() => expect(useRoute.getState().route).toEqual({ screen: "run", run }));
  });

  it("tells what was paid", async () => {
    await show();
    await act(async () => fireEvent.click(screen.getByTestId("tab-costs")));
    expect(screen.getByRole("tabpanel").textContent).toContain("nothing was paid");
  });
});
