// Switching grants off: what is left out is told, the key does the same, and what is signed is what is shown.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { Choices, RunNews } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { useDraft } from "../../state/draft";
import { ApprovalPanel } from "./ApprovalPanel";
import { useApproval } from "./useApproval";

let host: Host;
let signed: Choices | null;
let signatures: number;

beforeEach(() => begin(0.002));

function begin(pace: number): void {
  const demo = demoHost({ pace });
  signed = null;
  signatures = 0;
  host = {
    ...demo,
    approve: (run, digest, parameters, choices) => {
      signed = choices;
      signatures += 1;
      return demo.approve(run, digest, parameters, choices);
    },
  };
  setHost(host);
}

function Shown({ run }: { run: string }) {
  const state = useApproval(run);
  const view = useDraft((s) => s.view);
  if (!state.approval || !view) return null;
  return <ApprovalPanel view={view} approval={state.approval} state={state} focused={null} onLight={() => undefined} />;
}

async function shown(): Promise<string> {
  const { run } = await host.openPlan("samples/margin-report");
  render(<Shown run={run} />);
  await screen.findByTestId("grants");
  return run;
}

const grant = (name: RegExp) => screen.getByRole("switch", { name });

describe("the approval's choices", () => {
  it("tell what will not run, and are what is signed", async () => {
    const run = await shown();
    fireEvent.click(grant(/reports\/margin/));
    const out = await screen.findByText("1 task will not run");
    expect(out.closest("[data-testid=left-out]")?.textContent).toContain("Save report needs reports/margin-2026-11.md");
    // The text's way ends in a task that will not run: there is nothing to choose, and where it is on again there is.
    await waitFor(() => expect(screen.queryByTestId("flow-ask")).toBeNull());
    fireEvent.click(grant(/reports\/margin/));
    await screen.findByTestId("flow-ask");
    expect(screen.getByTestId("approve").getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(grant(/reports\/margin/));
    await waitFor(() => expect(screen.getByTestId("approve").getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(screen.getByTestId("approve"));
    await waitFor(() => expect(signed).not.toBeNull());
    expect(signed?.off).toEqual([{ access: "write", resource: "reports/margin-2026-11.md", method: null }]);
    expect(signed?.flows.map((flow) => flow.ask)).toEqual([true]);
    const heard: RunNews[] = [];
    await host.watchRun(
      run,
      0,
      (news) => heard.push(news),
      () => undefined,
    );
    await waitFor(() =>
      expect(heard.flatMap((n) => n.tasks).find((t) => t.id === "save_report")?.status).toBe("SKIPPED"),
    );
  });

  it("leave out what comes after, and go on and off by the key", async () => {
    await shown();
    const row = grant(/rates\.example/).closest("li") as HTMLElement;
    fireEvent.mouseEnter(row);
    fireEvent.keyDown(window, { key: "x" });
    await screen.findByText("6 tasks will not run");
    expect(screen.getByTestId("left-out").textContent).toContain("Normalise currencies comes after Get exchange rates");
    fireEvent.keyDown(window, { key: "x" });
    await waitFor(() => expect(screen.queryByTestId("left-out")).toBeNull());
  });

  it("are made about outside text by the person alone: until then the signature is off and says why", async () => {
    await shown();
    const sign = screen.getByTestId("approve");
    const ways = [screen.getByTestId("flow-ask"), screen.getByTestId("flow-allow")] as HTMLInputElement[];
    expect(ways.map((way) => way.checked)).toEqual([false, false]);
    expect(sign.getAttribute("aria-disabled")).toBe("true");
    // It can be reached by the keyboard, and is read with its reason.
    expect((sign as HTMLButtonElement).disabled).toBe(false);
    const why = document.getElementById(sign.getAttribute("aria-describedby") ?? "");
    expect(why?.textContent).toContain("text from outside at Save report");
    fireEvent.click(sign);
    expect(document.activeElement).toBe(ways[0]);
    expect(signed).toBeNull();
    fireEvent.click(screen.getByTestId("to-choice"));
    expect(document.activeElement).toBe(ways[0]);
    fireEvent.click(ways[0] as HTMLElement);
    expect(sign.getAttribute("aria-disabled")).toBe("false");
    expect(why?.textContent).toBe("");
    fireEvent.click(sign);
    await waitFor(() => expect(signed?.flows).toEqual([{ source: "get_rates", sink: "save_report", ask: true }]));
  });

  it("let a way of outside text go only when told so", async () => {
    await shown();
    fireEvent.click(screen.getByTestId("flow-allow"));
    fireEvent.click(screen.getByTestId("approve"));
    await waitFor(() => expect(signed?.flows).toEqual([{ source: "get_rates", sink: "save_report", ask: false }]));
  });

  it("are signed once, however fast the button is pressed", async () => {
    await shown();
    fireEvent.click(screen.getByTestId("flow-ask"));
    const sign = screen.getByTestId("approve");
    act(() => {
      sign.click();
      sign.click();
      sign.click();
    });
    await waitFor(() => expect(signed).not.toBeNull());
    await new Promise((done) => setTimeout(done, 20));
    expect(signatures).toBe(1);
  });

  it("are asked for again when the plan has changed under them, and nothing is signed by what was seen before", async () => {
    const run = await shown();
    fireEvent.click(screen.getByTestId("flow-ask"));
    // Meanwhile, a change that was asked of the planner is taken into the draft.
    const now = await host.draft(run);
    await host.editDraft(run, now.revision, [{ setTask: { id: "save_report", field: "/title", value: '"Keep it"' } }]);
    fireEvent.click(screen.getByTestId("approve"));
    await screen.findByText(/is not what was shown.*Nothing has run/);
    expect(signatures).toBe(1);
    expect((await host.draft(run)).isDraft).toBe(true);
    await waitFor(() => expect((screen.getByTestId("flow-ask") as HTMLInputElement).checked).toBe(false));
    expect(screen.getByTestId("approve").getAttribute("aria-disabled")).toBe("true");
  });

  it("wait while the planner is being asked for a change, which can be stopped here", async () => {
    begin(1);
    const { run } = await host.openPlan("samples/margin-report");
    await host.askChange(run, "Do it better");
    void host.changeOn(run);
    await waitFor(async () => expect((await host.proposal(run))?.isGoing).toBe(true));
    render(<Shown run={run} />);
    fireEvent.click(await screen.findByTestId("flow-ask"));
    const sign = screen.getByTestId("approve");
    const stop = await screen.findByTestId("stop-asking");
    expect(sign.getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(sign);
    expect(signatures).toBe(0);
    fireEvent.click(stop);
    await waitFor(() => expect(sign.getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(sign);
    await waitFor(() => expect(signatures).toBe(1));
  });

  it("say what is new since the plan was approved last", async () => {
    const { run } = await host.openPlan("samples/margin-report");
    await host.approve(run, (await host.approval(run)).digest, "{}", { off: [], flows: [] });
    const next = await host.openPlan("samples/margin-report");
    const added = {
      id: "more",
      instruction: "x",
      task_type: "tool",
      tool: "file.write",
      inputs: { path: "more.md", text: "x" },
    };
    await host.editDraft(next.run, next.revision, [
      { addTask: { task: JSON.stringify(added), after: [], before: [], position: null } },
    ]);
    render(<Shown run={next.run} />);
    const since = await screen.findByTestId("since-last");
    expect(since.textContent).toContain("New since you approved revision 1");
    expect(since.textContent).toContain("more.md");
    expect(screen.getAllByText("new")).toHaveLength(1);
  });
});
