// Two runs side by side in the demo host: chosen in the dialog, stepped through by key, swapped, and what is equal.
import { Tooltip } from "@base-ui/react/tooltip";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunNews } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { Fault, type Host, setHost } from "../../ipc/host";
import { askCompare, leaveCompare } from "../../state/compare";
import { useRoute } from "../../state/route";
import { ComparePicker } from "./ComparePicker";
import { CompareScreen } from "./CompareScreen";
import { forget, useCompare } from "./store";

let host: Host;
let run: string;
let fork: string;

async function drive(draft: string): Promise<void> {
  const approval = await host.approval(draft);
  const flows = approval.untrusted.map(({ source, sink }) => ({ source, sink, allow: true }));
  await host.approve(draft, approval.digest, "{}", { off: [], flows } as unknown as Parameters<Host["approve"]>[3]);
  await new Promise<void>((resolve) => {
    const hear = (news: RunNews) => {
      for (const decision of news.decisions) void host.decide(draft, decision.id, `{"verdict":"Real"}`);
      if (news.run.status === "SUCCEEDED") resolve();
    };
    void host.watchRun(draft, 0, hear, () => undefined);
  });
}

/** A run of the sample that has ended, and a fork of it in which one task says something else. */
beforeEach(async () => {
  host = demoHost({ pace: 0.01 });
  setHost(host);
  run = (await host.openPlan("samples/margin-report")).run;
  await drive(run);
  fork = await host.forkRun(run, 9, false);
  const { revision } = await host.draft(fork);
  const value = JSON.stringify("Say what is under the floor, and why.");
  await host.editDraft(fork, revision, [
    { setTask: { id: "margins", field: "/instruction", value } } as unknown as Parameters<Host["editDraft"]>[2][number],
  ]);
  await drive(fork);
});

afterEach(() => {
  leaveCompare();
  forget();
  useCompare.setState({ ignoreSpaces: false });
});

async function show(a = run, b = fork) {
  render(
    <Tooltip.Provider>
      <CompareScreen a={a} b={b} />
    </Tooltip.Provider>,
  );
  await screen.findByTestId("compare");
  await waitFor(() => expect(useCompare.getState().output ?? useCompare.getState().chosen).toBeDefined());
}

const press = async (key: string) => {
  await act(async () => {
    fireEvent.keyDown(document.body, { key });
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
};
const chosen = () => screen.getByTestId("compare-output").getAttribute("data-task");

describe("two runs side by side", () => {
  it("tells where they went apart, what differs of plan and tasks, and how much is the same", async () => {
    await show();
    expect(screen.getByTestId("compare-summary").textContent).toContain("1 task changed");
    const list = screen.getByTestId("compare-changes");
    expect(within(list).getByTestId("difference-answer").textContent).toContain("output differs");
    expect(within(list).getByTestId("difference-margins").textContent).toContain("plan");
    expect(screen.getByTestId("compare-rest").textContent).toMatch(/\d+ tasks? the same/);
    const marked = within(screen.getByTestId("plan-b")).getByTestId("pill-margins");
    expect(marked.className).toContain("is-changed");
    expect(marked.getAttribute("aria-label")).toContain("changed");
    expect(within(screen.getByTestId("plan-a")).getByTestId("pill-query_costs").className).not.toContain("is-");
  });

  it("shows the answers line against line, with what differs inside of a line marked", async () => {
    await show();
    const text = await screen.findByTestId("text-0");
    expect([...text.querySelectorAll("mark")].map((mark) => mark.textContent)).toContain("7");
    expect(text.textContent).toContain("only in A");
    expect(text.querySelectorAll("td.only-b").length).toBeGreaterThan(0);
  });

  it("goes by key from place to place and from difference to difference, and ends at both ends", async () => {
    await show();
    await screen.findByTestId("text-0");
    expect([chosen(), useCompare.getState().place]).toEqual(["", 0]);
    await press("]");
    expect(useCompare.getState().place).toBe(1);
    for (let step = 0; step < 60; step += 1) await press("]");
    const last = chosen();
    await press("]");
    expect(chosen()).toBe(last);
    expect(last).not.toBe("");
    for (let step = 0; step < 60; step += 1) await press("[");
    expect([chosen(), useCompare.getState().place]).toEqual(["", 0]);
  });

  it("shows values by their places, and what the plan says of the task", async () => {
    await show();
    await act(async () => fireEvent.click(screen.getByTestId("difference-margins")));
    const values = await screen.findByTestId("compare-values");
    expect(values.textContent).toContain("0.1751");
    expect(screen.getByTestId("compare-facts").textContent).toContain("and why.");
  });

  it("lets A and B change places", async () => {
    await show();
    await press("x");
    expect(useRoute.getState().route).toEqual({ screen: "compare", a: fork, b: run });
  });

  it("goes to the plans and on to the outputs with Tab, and leaves Tab to controls", async () => {
    await show();
    const tab = (target: Element) => fireEvent.keyDown(target, { key: "Tab" });
    await act(async () => void tab(document.body));
    expect(document.activeElement).toBe(screen.getByTestId("compare-plans"));
    await act(async () => void tab(screen.getByTestId("compare-plans")));
    expect(document.activeElement).toBe(screen.getByTestId("compare-outputs"));
    // Nothing takes the key away from there and from controls.
    expect(tab(screen.getByTestId("compare-outputs"))).toBe(true);
    expect(tab(screen.getByTestId("compare-swap"))).toBe(true);
  });

  it("says that nothing differs where a run is compared with itself", async () => {
    await show(run, run);
    expect(screen.getByTestId("nothing-differs").textContent).toContain("Nothing differs");
    expect(screen.getByTestId("compare-summary").textContent).toContain("same run");
    expect(screen.queryByTestId("compare-output")).toBeNull();
  });

  it("compares with a draft that has not run", async () => {
    const draft = await host.forkRun(run, 9, false);
    await show(run, draft);
    expect(screen.getByTestId("plan-b").parentElement?.textContent).toContain("not approved yet");
    expect(screen.getByTestId("difference-answer").textContent).toContain("only in A");
    expect(screen.getByText("Look at it in A")).toBeTruthy();
  });

  it("says what went wrong, and tries again", async () => {
    const whole = host.compareRuns;
    host.compareRuns = async () => {
      throw new Fault("unreadable", "run 1 can't be read: event 7 is damaged. Kept: all before it.");
    };
    render(<CompareScreen a={run} b={fork} />);
    expect((await screen.findByTestId("fault")).textContent).toContain("event 7 is damaged");
    host.compareRuns = whole;
    await act(async () => fireEvent.click(screen.getByText("Try again")));
    expect(await screen.findByTestId("compare")).toBeTruthy();
  });

  it("says which side can't be read, and that very large outputs are not looked into", async () => {
    const whole = host.compareOutputs;
    host.compareOutputs = async (...asked) => ({
      ...(await whole(...asked)),
      texts: [],
      values: [],
      isTooLarge: true,
      a: { bytes: 9e6, digest: "ab", trouble: null },
      b: { bytes: 4, digest: "cd", trouble: "the value is damaged" },
    });
    await show();
    const output = await screen.findByTestId("compare-output");
    await waitFor(() => expect(output.textContent).toContain("Too large to be looked into: 8.6 MiB in A"));
    expect(output.textContent).toContain("That of B can't be read: the value is damaged");
  });

  it("sets A by a click and B by a Shift-click in the tree of forks", async () => {
    await show();
    const row = screen.getByTestId(`family-${fork}`);
    expect(row.closest("li")?.getAttribute("data-depth")).toBe("1");
    fireEvent.click(row);
    expect(useRoute.getState().route).toEqual({ screen: "compare", a: fork, b: fork });
    fireEvent.click(screen.getByTestId(`family-${run}`), { shiftKey: true });
    expect(useRoute.getState().route).toEqual({ screen: "compare", a: run, b: run });
  });

  it("asks which run to compare with, forks first", async () => {
    await host.openPlan("samples/margin-report");
    render(
      <Tooltip.Provider>
        <ComparePicker />
      </Tooltip.Provider>,
    );
    await act(async () => void (await askCompare(run)));
    const dialog = await screen.findByTestId("compare-picker");
    const picks = within(dialog).getAllByTestId(/^pick-/);
    expect(picks[0]?.getAttribute("data-testid")).toBe(`pick-${fork}`);
    expect(within(dialog).queryByTestId(`pick-${run}`)).toBeNull();
    await act(async () => fireEvent.click(picks[0] as HTMLElement));
    expect(useRoute.getState().route).toEqual({ screen: "compare", a: run, b: fork });
  });
});
