// The list view: rows by wave, what maps hold, selection over a range, and only the rows in view of a long plan.
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DraftView, PieceView, ProposalView } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { viewOf } from "../../ipc/demo/draft";
import { MARGIN_REPORT } from "../../ipc/demo/plan";
import { setHost } from "../../ipc/host";
import { parse } from "../../ipc/json";
import { isLeftOut } from "../../state/cards";
import { useProposal } from "../../state/proposal";
import { clearSelection, select, useSelection } from "../../state/selection";
import { ListView } from "./ListView";
import { unchanged, withCompared, withProposed } from "./listChanges";
import { between, rowsOf } from "./listRows";
import { useMenu } from "./menuStore";

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
    expect(rowsOf(unchanged(view), new Set()).filter((r) => r.kind === "wave")).toHaveLength(6);
    expect(rowsOf(unchanged(MAP), new Set()).map((r) => r.kind)).toEqual(["wave", "task", "inner"]);
    expect(rowsOf(unchanged(MAP), new Set(["m"])).map((r) => r.kind)).toEqual(["wave", "task"]);
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
    render(<ListView estimates={new Map()} changed={unchanged(view)} onOpen={() => undefined} />);
    const grid = screen.getByRole("treegrid");
    fireEvent.click(screen.getByTestId("row-normalise"));
    fireEvent.keyDown(grid, { key: "ArrowRight" });
    expect(useSelection.getState().tasks).toEqual(["margins"]);
    fireEvent.keyDown(grid, { key: "ArrowDown", shiftKey: true });
    expect(useSelection.getState().tasks).toEqual(["margins", "check_outliers"]);
    fireEvent.click(screen.getByTestId("row-save_report"), { shiftKey: true });
    expect(useSelection.getState().tasks).toEqual(["margins", "check_outliers", "write_report", "save_report"]);
  });
  it("has one row for the keys: walked to without choosing, chosen by what is done with it, also inside of a map", () => {
    render(<ListView estimates={new Map()} changed={unchanged(MAP)} onOpen={() => undefined} />);
    const grid = screen.getByRole("treegrid");
    expect(useSelection.getState().tasks).toEqual([]);
    fireEvent.keyDown(grid, { key: "e" });
    expect(useSelection.getState().tasks).toEqual(["m"]);
    fireEvent.keyDown(grid, { key: " " });
    expect(useSelection.getState().tasks).toEqual([]);
    fireEvent.keyDown(grid, { key: "ArrowDown" });
    expect(screen.getByTestId("row-m/each").tabIndex).toBe(0);
    expect(useSelection.getState().tasks).toEqual(["m"]);
    fireEvent.keyDown(grid, { key: "ArrowLeft", altKey: true });
    expect(screen.queryByTestId("row-m/each")).toBeNull();
    expect(screen.getByTestId("row-m").getAttribute("aria-expanded")).toBe("false");
    expect(screen.getByTestId("row-m").tabIndex).toBe(0);
    fireEvent.keyDown(grid, { key: "ArrowRight", altKey: true });
    expect(screen.getByTestId("row-m/each")).toBeTruthy();
  });
  it("folds waves by Left and Right, and walks on over them", () => {
    render(<ListView estimates={new Map()} changed={unchanged(view)} onOpen={() => undefined} />);
    const grid = screen.getByRole("treegrid");
    const press = (key: string, more = {}) => fireEvent.keyDown(grid, { key, ...more });
    const wave = (n: number) => screen.getByTestId(`row-wave-${n}`);
    const active = () => document.querySelector<HTMLElement>('tr[tabindex="0"]')?.dataset.testid;
    expect([wave(1).getAttribute("aria-expanded"), wave(1).getAttribute("aria-level")]).toEqual(["true", "1"]);
    fireEvent.click(screen.getByTestId("row-normalise"));
    press("ArrowUp");
    expect([active(), useSelection.getState().tasks]).toEqual(["row-wave-2", []]);
    press("ArrowLeft");
    expect(wave(2).getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByTestId("row-normalise")).toBeNull();
    press("ArrowDown");
    expect(active()).toBe("row-wave-3");
    press("ArrowUp");
    press("ArrowRight");
    expect(screen.getByTestId("row-normalise").tabIndex).toBe(-1);
    press("ArrowRight");
    expect([active(), useSelection.getState().tasks]).toEqual(["row-normalise", ["normalise"]]);
    press("ArrowLeft", { altKey: true });
    expect([active(), wave(2).getAttribute("aria-expanded")]).toEqual(["row-wave-2", "false"]);
    press("Enter");
    expect(wave(2).getAttribute("aria-expanded")).toBe("true");
    fireEvent.click(screen.getByTestId("fold-wave 2"));
    expect(screen.queryByTestId("row-normalise")).toBeNull();
  });
  it("chooses a wave with all that it has, grows over waves, and opens the one in which something is chosen", () => {
    render(<ListView estimates={new Map()} changed={unchanged(view)} onOpen={() => undefined} />);
    const grid = screen.getByRole("treegrid");
    fireEvent.click(screen.getByTestId("row-wave-1"));
    fireEvent.keyDown(grid, { key: " " });
    expect(useSelection.getState().tasks).toHaveLength(4);
    expect(screen.getByTestId("row-wave-1").tabIndex).toBe(0);
    fireEvent.click(screen.getByTestId("row-normalise"));
    fireEvent.keyDown(grid, { key: "ArrowDown", shiftKey: true });
    expect(useSelection.getState().tasks).toEqual(["normalise", "margins"]);
    fireEvent.click(screen.getByTestId("fold-wave 6"));
    act(() => select(["save_report"]));
    expect(screen.getByTestId("row-save_report").tabIndex).toBe(0);
  });
  it("says of a folded wave what is wrong in it", () => {
    const wrong = viewOf(
      "r",
      "R",
      1,
      null,
      parse('{"tasks":[{"id":"a","instruction":"x","task_type":"tool","tool":"none"}]}'),
      {},
    );
    render(<ListView estimates={new Map()} changed={unchanged(wrong)} onOpen={() => undefined} />);
    fireEvent.click(screen.getByTestId("fold-wave 1"));
    expect(screen.getByTestId("row-wave-1").textContent).toContain("1 problem");
  });
  it("goes on from the row that took the place of one that is gone", () => {
    const list = (plan: DraftView) => (
      <ListView estimates={new Map()} changed={unchanged(plan)} onOpen={() => undefined} />
    );
    const { rerender } = render(list(view));
    fireEvent.click(screen.getByTestId("row-normalise"));
    clearSelection();
    const rows = [...document.querySelectorAll<HTMLElement>("tr[data-task]")].map((row) => row.dataset.task);
    rerender(list({ ...view, tasks: view.tasks.filter((task) => task.id !== "normalise") }));
    const active = document.querySelector<HTMLElement>('tr[tabindex="0"]')?.dataset.task;
    expect(active).not.toBe("normalise");
    expect(Math.abs(rows.indexOf(active) - rows.indexOf("normalise"))).toBeLessThan(4);
  });
  it("of a locked plan opens no menu to change it, and prints no such key", () => {
    const locked = { ...view, isDraft: false };
    render(<ListView estimates={new Map()} changed={unchanged(locked)} onOpen={() => undefined} />);
    fireEvent.contextMenu(screen.getByTestId("row-normalise"));
    fireEvent.keyDown(screen.getByRole("treegrid"), { key: "F10", shiftKey: true });
    expect(useMenu.getState().ask).toBeNull();
    expect(screen.queryByText("rename")).toBeNull();
    expect(screen.getByText("back to canvas")).toBeTruthy();
  });
  it("says what a task touches with how many, and problems by their short names", () => {
    const wrong = viewOf(
      "r",
      "R",
      1,
      null,
      parse('{"tasks":[{"id":"a","instruction":"x","task_type":"tool","tool":"none"}]}'),
      {},
    );
    render(<ListView estimates={new Map()} changed={unchanged(wrong)} onOpen={() => undefined} />);
    expect(document.querySelector(".col-problem.tone-failed")?.textContent?.trim()).toBe("Unknown tool");
    cleanup();
    render(<ListView estimates={new Map()} changed={unchanged(view)} onOpen={() => undefined} />);
    expect(screen.getAllByRole("img", { name: /^Databases: 1\. / }).length).toBeGreaterThan(0);
  });
  it("of an empty plan says so, with the keys", () => {
    const none = viewOf("r", "R", 1, null, parse('{"tasks":[]}'), {});
    render(<ListView estimates={new Map()} changed={unchanged(none)} onOpen={() => undefined} />);
    expect(screen.getByTestId("list-view").textContent).toContain("no tasks yet");
    expect(screen.getByTestId("list-view").querySelectorAll("kbd").length).toBe(7);
  });
  it("of a thousand tasks holds only a window in the document", () => {
    const tasks = Array.from(
      { length: 1000 },
      (_, n) => `{"id":"t${n}","instruction":"x","task_type":"code","source":"return 1"}`,
    );
    const large = viewOf("r", "R", 1, null, parse(`{"tasks":[${tasks.join(",")}]}`), {});
    render(<ListView estimates={new Map()} changed={unchanged(large)} onOpen={() => undefined} />);
    expect(document.querySelectorAll("tr[data-task]").length).toBeLessThan(120);
    expect(screen.getByRole("treegrid").getAttribute("aria-rowcount")).toBe("1002");
  });
});

const piece = (more: Partial<PieceView>): PieceView => ({
  id: "x",
  kind: "changed",
  name: "margins",
  title: "Work out margins",
  fields: [],
  gained: [],
  lost: [],
  needs: [],
  standing: "open",
  why: null,
  ...more,
});
const field = (name: string, before: string | null, after: string | null) => ({ field: name, before, after });

describe("a proposed change in the list", () => {
  const pieces = [
    piece({
      id: "change:margins",
      fields: [field("instruction", '"a"', '"b"')],
      gained: ["check"],
      lost: ["normalise"],
    }),
    piece({
      id: "add:check",
      kind: "added",
      name: "check",
      title: "Check the prices",
      gained: ["normalise"],
      fields: [field("", null, '{"id":"check","task_type":"code","instruction":"x","source":"return 1"}')],
    }),
    piece({ id: "remove:save_report", kind: "removed", name: "save_report", title: "Save report" }),
    piece({ id: "plan:budget", kind: "plan", name: "budget", title: "budget" }),
    piece({ id: "gone", name: "get_rates", standing: "taken" }),
  ];
  const proposal = { pieces, state: "proposed" } as unknown as ProposalView;
  const shown = () => {
    useProposal.setState({ run: "r", view: proposal, chosen: null });
    render(<ListView estimates={new Map()} changed={withProposed(view, proposal)} onOpen={() => undefined} />);
  };
  const cells = (id: string) => [...screen.getByTestId(`row-${id}`).children].map((cell) => cell.textContent);

  it("is told in words, with what would come as a row in its wave, and edges by their sign", () => {
    shown();
    expect(cells("margins").slice(1, 4)).toEqual([
      "would be changed: instruction",
      "Code",
      "Query cost database, − Normalise currencies, + Check the prices",
    ]);
    expect(cells("check").slice(0, 4)).toEqual([
      "Check the prices",
      "would be added",
      "Code",
      "+ Normalise currencies",
    ]);
    expect(cells("save_report")[1]).toBe("would be removed");
    expect(cells("get_rates")[1]).toBe("");
    expect(cells("plan:budget")).toEqual(["budget", "would be changed"]);
    const order = [...document.querySelectorAll("tr[data-task]")].map((row) => row.getAttribute("data-task"));
    expect(order.indexOf("check")).toBeGreaterThan(order.indexOf("normalise"));
    expect(order.indexOf("check")).toBeLessThan(order.indexOf("margins"));
  });

  it("is what the keys take or leave, where the row is walked to, and what its buttons do", async () => {
    shown();
    fireEvent.click(screen.getByTestId("row-normalise"));
    fireEvent.keyDown(screen.getByRole("treegrid"), { key: "ArrowRight" });
    expect(useSelection.getState().tasks).toEqual(["margins"]);
    expect(useProposal.getState().chosen).toBe("change:margins");
    const [leave, take] = [
      screen.getByTestId("list-leave-change:margins"),
      screen.getByTestId("list-take-change:margins"),
    ];
    expect([leave.tabIndex, take.tabIndex]).toEqual([0, 0]);
    expect(take.getAttribute("aria-label")).toBe("Take: Work out margins");
    let dropped: string[] = [];
    setHost({
      ...demoHost(),
      dropPieces: async (_, ids) => {
        dropped = ids;
      },
      proposal: async () => null,
    });
    fireEvent.click(leave);
    await waitFor(() => expect(dropped).toEqual(["change:margins"]));
  });
});

describe("two versions in the list", () => {
  it("are one list with what has gone, and say which fields differ", async () => {
    const host = demoHost({ pace: 0 });
    const { run } = await host.openPlan("samples/margin-report");
    await host.editDraft(run, 1, [
      { setTask: { id: "margins", field: "/title", value: '"Margins"' } },
      { removeTasks: { ids: ["save_report"] } },
    ]);
    const [before, after, diff] = await Promise.all([host.draftAt(run, 1), host.draftAt(run, 2), host.diff(run, 1, 2)]);
    const changed = withCompared({ from: 1, to: 2, before, after, diff });
    render(<ListView estimates={new Map()} changed={changed} onOpen={() => undefined} />);
    const text = (id: string) => screen.getByTestId(`row-${id}`).children[1]?.textContent;
    expect(text("margins")).toBe("Changed: title");
    expect(text("save_report")).toBe("Removed");
    expect(text("normalise")).toBe("");
    expect(screen.getByTestId("row-save_report").children[3]?.textContent).toBe("− Write report");
    expect(screen.queryByTestId("list-take-change:margins")).toBeNull();
  });
});
