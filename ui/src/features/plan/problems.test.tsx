// Problems on show: by severity, of the chosen task, by words; and F8 goes through just those.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { DraftTask, DraftView, Problem } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { setHost } from "../../ipc/host";
import { showDraft, useDraft } from "../../state/draft";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { fixChosen, Problems, stepProblem } from "./Problems";
import { showAllProblems } from "./problemFilter";
import { problemToFix, useSeenProblem } from "./problemSteps";

const problem = (severity: Problem["severity"], task: string, message: string): Problem =>
  ({
    severity,
    code: "type",
    message,
    pointer: `/tasks/${task}/inputs`,
    tasks: [task],
    fix: null,
  }) as unknown as Problem;
const task = (id: string, title: string) => ({ id, title, pointer: `/tasks/${id}` }) as DraftTask;
const view = {
  tasks: [task("a", "Read prices"), task("b", "Write report")],
  problems: [
    problem("error", "a", "No such tool"),
    problem("warning", "a", "Never read"),
    problem("error", "b", "Unknown input"),
    problem("warning", "b", "Nobody reads this"),
    problem("error", "b", "Makes a loop"),
    problem("error", "b", "No such column"),
  ],
} as unknown as DraftView;
const rows = () => screen.queryAllByRole("listitem").map((row) => row.querySelector("span.sm")?.textContent);

afterEach(() => {
  showAllProblems();
  select([]);
  useSeenProblem.setState({ seen: null });
});

describe("problems", () => {
  it("are shown by severity, again all by the same switch", () => {
    render(<Problems view={view} />);
    expect(rows()).toHaveLength(6);
    fireEvent.click(screen.getByTestId("problems-warning"));
    expect(rows()).toEqual(["Never read", "Nobody reads this"]);
    expect(screen.getByText("2 of 6 shown")).toBeTruthy();
    fireEvent.click(screen.getByTestId("problems-warning"));
    expect(rows()).toHaveLength(6);
  });

  it("are found by words of the message and of the task's name, all of them", () => {
    render(<Problems view={view} />);
    fireEvent.change(screen.getByTestId("problems-find"), { target: { value: "no such REPORT" } });
    expect(rows()).toEqual(["No such column"]);
    fireEvent.click(screen.getByTestId("problems-all"));
    expect(rows()).toHaveLength(6);
  });

  it("are only those of the chosen task where that is asked for, and steps keep to what is shown", () => {
    render(<Problems view={view} />);
    act(() => select(["a"]));
    fireEvent.click(screen.getByTestId("problems-of-chosen"));
    expect(rows()).toEqual(["No such tool", "Never read"]);
    act(() => showAllProblems());
    fireEvent.change(screen.getByTestId("problems-find"), { target: { value: "loop" } });
    act(() => stepProblem(view, -1));
    expect(useSelection.getState().tasks).toEqual(["b"]);
  });

  it("are gone through one by one, several on one task too, both ways, and the one looked at is marked and mended", async () => {
    const three = {
      run: "r",
      tasks: [task("a", "Read prices"), task("b", "Write report")],
      problems: [
        problem("error", "a", "One"),
        { ...problem("error", "a", "Two"), fix: { label: "Mend two", edits: ["tidy"], unpins: null } },
        problem("error", "b", "Three"),
        { ...problem("error", "b", "Four"), fix: { label: "Mend four", edits: ["tidy"], unpins: null } },
      ],
    } as unknown as DraftView;
    render(<Problems view={three} />);
    const marked = () => document.querySelector(".problem.chosen span.sm")?.textContent;
    const seen: (string | null | undefined)[] = [];
    for (let n = 0; n < 5; n++) {
      act(() => stepProblem(three, 1));
      seen.push(marked());
    }
    expect(seen).toEqual(["One", "Two", "Three", "Four", "One"]);
    act(() => stepProblem(three, -1));
    expect(marked()).toBe("Four");
    act(() => stepProblem(three, -1));
    expect(marked()).toBe("Three");
    // What is looked at can't be mended by key, though another of its task could.
    expect(problemToFix(three, "b", useSeenProblem.getState().seen)).toBeUndefined();
    act(() => stepProblem(three, 1));
    expect(problemToFix(three, "b", useSeenProblem.getState().seen)?.message).toBe("Four");
    expect(document.querySelector(".problem.chosen kbd")).toBeTruthy();
    // Once it is mended, the next one stands in its place.
    const mended = { ...three, problems: three.problems.filter((p) => p.message !== "Two") };
    act(() => select(["a"]));
    act(() => stepProblem(mended, 1));
    act(() => stepProblem(mended, 1));
    expect(useSelection.getState().tasks).toEqual(["b"]);
  });

  it("that a held output makes are mended by letting go of it, by button and by key", async () => {
    const host = demoHost({ pace: 0 });
    setHost(host);
    const opened = await host.openPlan("samples/margin-report");
    await host.hold(opened.run, "get_rates", '{"EUR": 1.5}');
    const schema = '{"type":"object","required":["rates"]}';
    const wrong = await host.editDraft(opened.run, 1, [
      { setTask: { id: "get_rates", field: "/output_schema", value: schema } },
    ]);
    expect(wrong.problems[0]).toMatchObject({ code: "held_output", severity: "error", tasks: ["get_rates"] });
    showDraft(wrong);
    render(<Problems view={wrong} />);
    fireEvent.click(screen.getByRole("button", { name: t.holds.acts.unpin }));
    await waitFor(() => expect(useDraft.getState().view?.problems).toEqual([]));
    expect(await host.heldOutput(opened.run, "get_rates")).toBeNull();

    const again = await host.hold(opened.run, "get_rates", "[]");
    showDraft(again);
    select(["get_rates"]);
    fixChosen(again);
    await waitFor(() => expect(useDraft.getState().view?.problems).toEqual([]));
  });
});
