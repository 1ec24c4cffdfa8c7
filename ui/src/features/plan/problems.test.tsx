// Problems on show: by severity, of the chosen task, by words; and F8 goes through just those.
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { DraftTask, DraftView, Problem } from "../../ipc/bindings";
import { select, useSelection } from "../../state/selection";
import { Problems, stepProblem } from "./Problems";
import { showAllProblems } from "./problemFilter";

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
});
