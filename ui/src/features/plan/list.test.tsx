// The list view: rows by wave, what maps hold, selection over a range, and only the rows in view of a long plan.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { viewOf } from "../../ipc/demo/draft";
import { MARGIN_REPORT } from "../../ipc/demo/plan";
import { parse } from "../../ipc/json";
import { isLeftOut } from "../../state/cards";
import { clearSelection, useSelection } from "../../state/selection";
import { ListView } from "./ListView";
import { between, rowsOf } from "./listRows";

const view = viewOf("r", "R", 1, null, parse(MARGIN_REPORT), {});
const MAP = viewOf(
  "r",
  "R",
  1,
  null,
  parse(
    '{"tasks":[{"id":"m","task_type":"map","instruction":"x","task":{"id":"each","task_type":"code","instruction":"One"}}]}',
  ),
  {},
);
beforeEach(clearSelection);
afterEach(cleanup);

describe("the rows", () => {
  it("stand by wave, with what a map holds under it until it is folded", () => {
    expect(rowsOf(view, new Set()).filter((r) => r.kind === "wave")).toHaveLength(6);
    expect(rowsOf(MAP, new Set()).map((r) => r.kind)).toEqual(["wave", "task", "inner"]);
    expect(rowsOf(MAP, new Set(["m"])).map((r) => r.kind)).toEqual(["wave", "task"]);
  });
  it("are chosen over a range, the last one last", () => {
    expect(between(["a", "b", "c", "d"], "b", "d")).toEqual(["b", "c", "d"]);
    expect(between(["a", "b", "c", "d"], "d", "b")).toEqual(["d", "c", "b"]);
  });
  it("know who was left out, not who only holds such a task", () => {
    expect(isLeftOut('{"id":"a","when":"false"}')).toBe(true);
    expect(isLeftOut('{"id":"a","when":"false and (x > 1)"}')).toBe(true);
    expect(isLeftOut('{"id":"a","task":{"when":"false"}}')).toBe(false);
    expect(isLeftOut('{"id":"a","when":"falsehood"}')).toBe(false);
  });
});

describe("the list", () => {
  it("walks by keys, extends by Shift, follows edges", () => {
    render(<ListView view={view} onOpen={() => undefined} />);
    const grid = screen.getByRole("treegrid");
    fireEvent.click(screen.getByTestId("row-normalise"));
    fireEvent.keyDown(grid, { key: "ArrowRight" });
    expect(useSelection.getState().tasks).toEqual(["margins"]);
    fireEvent.keyDown(grid, { key: "ArrowDown", shiftKey: true });
    expect(useSelection.getState().tasks).toEqual(["margins", "check_outliers"]);
    fireEvent.click(screen.getByTestId("row-save_report"), { shiftKey: true });
    expect(useSelection.getState().tasks).toEqual(["margins", "check_outliers", "write_report", "save_report"]);
  });
  it("of a thousand tasks holds only a window in the document", () => {
    const tasks = Array.from(
      { length: 1000 },
      (_, n) => `{"id":"t${n}","instruction":"x","task_type":"code","source":"return 1"}`,
    );
    const large = viewOf("r", "R", 1, null, parse(`{"tasks":[${tasks.join(",")}]}`), {});
    render(<ListView view={large} onOpen={() => undefined} />);
    expect(document.querySelectorAll("tr[data-task]").length).toBeLessThan(120);
    expect(screen.getByRole("treegrid").getAttribute("aria-rowcount")).toBe("1002");
  });
});
