// The list view: rows by wave, what maps hold, selection over a range, and only the rows in view of a long plan.
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PieceView, ProposalView } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { viewOf } from "../../ipc/demo/draft";
import { MARGIN_REPORT } from "../../ipc/demo/plan";
import { setHost } from "../../ipc/host";
import { parse } from "../../ipc/json";
import { isLeftOut } from "../../state/cards";
import { useProposal } from "../../state/proposal";
import { clearSelection, useSelection } from "../../state/selection";
import { ListView } from "./ListView";
import { unchanged, withCompared, withProposed } from "./listChanges";
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
