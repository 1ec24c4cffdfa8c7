// The lists: filters, tags in the row, the tree of forks by key, several chosen and deleted, and what is found inside.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { FoundView, RunRow, RunsAsked } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { Fault, type Host, setHost } from "../../ipc/host";
import { leaveList, useFinding } from "../../state/finding";
import { useKeeping } from "../../state/keeping";
import { takeMoment } from "../../state/moment";
import { useRoute } from "../../state/route";
import { useSelection } from "../../state/selection";
import { Marked } from "./Hits";
import { PlansScreen, RunsScreen } from "./ListScreens";

let host: Host;

beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  leaveList();
  useKeeping.setState({ renaming: null, leaving: null, isBusy: false });
});

const SPENT = {
  usd: "0",
  inputTokens: 0,
  outputTokens: 0,
  zero: 0,
  estimated: 0,
  unknown: 0,
  guessed: 0,
  lost: 0,
  lostUsd: "0",
  lostUnpriced: 0,
  lostTokens: 0,
};

function row(run: string, more: Partial<RunRow> = {}): RunRow {
  return {
    run,
    title: `Run ${run}`,
    tags: [],
    parent: null,
    goal: null,
    status: "SUCCEEDED",
    revision: 1,
    startedAt: 1,
    changedAt: 1,
    ranMs: 1000,
    counts: [],
    openDecisions: 0,
    spent: SPENT,
    budget: { usd: null, tokens: null, seconds: null },
    owner: null,
    trouble: null,
    ...more,
  };
}

/** A host with these runs, which remembers what it was asked. */
function hosting(rows: RunRow[], found?: (asked: RunsAsked) => FoundView): RunsAsked[] {
  const asked: RunsAsked[] = [];
  setHost({
    ...host,
    findRuns: async (one) => {
      asked.push(one);
      const tags = [...new Set(rows.flatMap((r) => r.tags))].map((tag) => ({ tag, count: 1 }));
      const fit = rows.filter((r) => r.title.toLowerCase().includes(one.text.toLowerCase()));
      return { rows: fit.slice(0, one.limit), total: fit.length, isAny: rows.length > 0, tags, notes: [] };
    },
    search: async (one) => found?.(one) ?? { hits: [], more: 0, behind: 0, notes: [] },
    runSizes: async (runs) => runs.map((run) => ({ run, bytes: 2048, files: 0 })),
  });
  return asked;
}

const hit = (more: Partial<FoundView["hits"][number]> = {}) => ({
  run: "r1",
  title: "Run r1",
  status: "SUCCEEDED" as const,
  task: "sum",
  place: "output" as const,
  seq: 7,
  snippet: "the walrus waves",
  marks: [{ from: 4, to: 10 }],
  ...more,
});

const names = () => [...document.querySelectorAll(".run-name b")].map((b) => b.textContent);
const nameOf = (run: string) => screen.getByTestId(`run-${run}`).querySelector(".run-name") as HTMLElement;
/** As by Enter on it. */
async function pick(name: string | RegExp): Promise<void> {
  const option = await screen.findByRole("option", { name });
  fireEvent.focus(option);
  fireEvent.keyDown(option, { key: "Enter" });
  fireEvent.click(option);
}
const type = (text: string) => fireEvent.change(screen.getByTestId("list-search"), { target: { value: text } });

describe("the list of runs", () => {
  it("asks for what the filters say", async () => {
    const asked = hosting([row("r1", { tags: ["food"] })]);
    render(<RunsScreen />);
    await screen.findByTestId("run-r1");
    expect(asked[0]).toMatchObject({ drafts: false, states: [], tags: [], since: null, text: "" });
    fireEvent.click(within(screen.getByTestId("list-states")).getByText("Failed"));
    await waitFor(() => expect(asked.at(-1)?.states).toEqual(["FAILED", "CANCELLED"]));
    fireEvent.click(screen.getByTestId("list-tag"));
    await pick(/food/);
    await waitFor(() => expect(asked.at(-1)?.tags).toEqual(["food"]));
    fireEvent.click(screen.getByTestId("list-time"));
    await pick("In the last 7 days");
    await waitFor(() => expect(asked.at(-1)?.since).toBeGreaterThan(Date.now() - 8 * 86_400_000));
  });

  it("says what each takes and all together", async () => {
    hosting([row("r1"), row("r2")]);
    render(<RunsScreen />);
    const first = await screen.findByTestId("run-r1");
    await waitFor(() => expect(within(first).getByTestId("size").textContent).toMatch(/2/));
    expect(screen.getByTestId("list-sum").textContent).toContain("2 entries");
  });

  it("folds forks and goes from row to row by key", async () => {
    hosting([row("r1"), row("r2", { parent: "r1" }), row("r3", { parent: "r2" }), row("r4")]);
    render(<RunsScreen />);
    await screen.findByTestId("run-r3");
    expect(screen.getByTestId("run-r3").getAttribute("aria-level")).toBe("3");
    expect(screen.getByTestId("run-r1").getAttribute("aria-expanded")).toBe("true");
    nameOf("r1").focus();
    fireEvent.keyDown(nameOf("r1"), { key: "ArrowDown" });
    expect(document.activeElement).toBe(nameOf("r2"));
    fireEvent.keyDown(nameOf("r2"), { key: "ArrowLeft" });
    expect(screen.queryByTestId("run-r3")).toBeNull();
    fireEvent.keyDown(nameOf("r2"), { key: "ArrowLeft" });
    expect(document.activeElement).toBe(nameOf("r1"));
    fireEvent.click(screen.getByTestId("fold-r1"));
    expect(names()).toEqual(["Run r1", "Run r4"]);
    expect(screen.getByTestId("run-r1").textContent).toContain("2 forks");
    fireEvent.keyDown(nameOf("r1"), { key: "End" });
    expect(document.activeElement).toBe(nameOf("r4"));
  });

  it("shows more of five thousand when asked, and no more at once", async () => {
    const asked = hosting(Array.from({ length: 5000 }, (_, n) => row(`r${n}`)));
    render(<RunsScreen />);
    await screen.findByTestId("run-r0");
    expect(names()).toHaveLength(100);
    fireEvent.click(screen.getByTestId("more-rows"));
    await waitFor(() => expect(names()).toHaveLength(200));
    expect(asked.at(-1)?.limit).toBe(200);
  });

  it("tells of a fault and tries again", async () => {
    hosting([row("r1")]);
    const good = { ...host };
    setHost({
      ...host,
      findRuns: async () => {
        throw new Fault("store", "The disk is gone.");
      },
    });
    render(<RunsScreen />);
    expect((await screen.findByTestId("fault")).textContent).toContain("The disk is gone.");
    setHost(good);
    fireEvent.click(screen.getByRole("button", { name: /again/i }));
    await waitFor(() => expect(screen.queryByTestId("fault")).toBeNull());
  });
});

describe("several chosen rows", () => {
  it("are deleted together, after what goes was told", async () => {
    const runs = [(await host.newPlan()).run, (await host.newPlan()).run, (await host.newPlan()).run];
    render(<PlansScreen />);
    await screen.findByTestId(`run-${runs[0]}`);
    fireEvent.click(screen.getByTestId(`choose-${runs[0]}`));
    fireEvent.keyDown(nameOf(`${runs[2]}`), { key: "x" });
    expect(screen.getByTestId("chosen").textContent).toContain("2 chosen");
    fireEvent.click(screen.getByTestId("delete-chosen"));
    await waitFor(() => expect(useKeeping.getState().leaving?.goes.drafts).toBe(2));
    expect([...(useKeeping.getState().leaving?.runs ?? [])].sort()).toEqual([runs[0], runs[2]].sort());
    fireEvent.click(screen.getByTestId("choose-all"));
    expect(useFinding.getState().chosen.size).toBe(3);
    fireEvent.click(screen.getByTestId("choose-none"));
    expect(screen.queryByTestId("chosen")).toBeNull();
  });
});

describe("tags in a row", () => {
  it("are typed, taken off and filter by", async () => {
    const { run } = await host.newPlan();
    render(<PlansScreen />);
    await screen.findByTestId(`run-${run}`);
    fireEvent.keyDown(nameOf(run), { key: "#" });
    const field = await screen.findByTestId("tag-field");
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: "Food, q3" } });
    fireEvent.submit(field);
    await waitFor(() => expect(screen.getAllByTestId("remove-tag").map((b) => b.textContent)).toEqual(["food", "q3"]));
    fireEvent.keyDown(screen.getByTestId("tag-field"), { key: "Backspace" });
    await waitFor(() => expect(screen.getAllByTestId("remove-tag")).toHaveLength(1));
    fireEvent.keyDown(screen.getByTestId("tag-field"), { key: "Escape" });
    expect((await screen.findAllByTestId("tag")).map((b) => b.textContent)).toEqual(["food"]);
    await waitFor(() => expect(document.activeElement).toBe(nameOf(run)));
    expect(
      (await host.findRuns({ drafts: true, states: [], tags: ["food"], since: null, until: null, text: "", limit: 9 }))
        .total,
    ).toBe(1);
  });
});

describe("what stands inside", () => {
  it("is found while typing, and leads to its moment", async () => {
    hosting([row("r1")], () => ({
      hits: [hit(), hit({ place: "plan", seq: null, task: null })],
      more: 3,
      behind: 0,
      notes: [],
    }));
    render(<RunsScreen />);
    await screen.findByTestId("run-r1");
    type("walrus");
    const [first] = await screen.findAllByTestId("hit");
    expect(first?.querySelector("mark")?.textContent).toBe("walrus");
    expect(first?.textContent).toContain("Output · sum");
    expect(screen.getByTestId("hits").textContent).toContain("3 more places");
    act(() => first?.click());
    expect(useRoute.getState().route).toEqual({ screen: "review", run: "r1" });
    expect(useSelection.getState().tasks).toEqual(["sum"]);
    expect(takeMoment("r1")).toBe(7);
    expect(takeMoment("r1")).toBeNull();
  });

  it("asks again while something is not looked through yet", async () => {
    let times = 0;
    hosting([row("r1")], () => ({
      hits: times++ === 0 ? [] : [hit()],
      more: 0,
      behind: times === 1 ? 1200 : 0,
      notes: [],
    }));
    render(<RunsScreen />);
    await screen.findByTestId("run-r1");
    type("walrus");
    await waitFor(() => expect(screen.getByTestId("hits-status").textContent).toContain("1,200 steps"));
    await screen.findByTestId("hit");
    expect(screen.getByTestId("hits-status").textContent).toBe("1 place");
  });

  it("goes away with the words, by Escape", async () => {
    hosting([row("r1")], () => ({ hits: [hit()], more: 0, behind: 0, notes: [] }));
    render(<RunsScreen />);
    await screen.findByTestId("run-r1");
    type("walrus");
    await screen.findByTestId("hit");
    fireEvent.keyDown(screen.getByTestId("list-search"), { key: "Escape" });
    await waitFor(() => expect(screen.queryByTestId("hits")).toBeNull());
  });

  it("shows text of others as text, with letters counted as Unicode does", () => {
    const snippet = "💥💥 <b>wal\u202Erus</b>";
    const { container } = render(<Marked text={snippet} marks={[{ from: 3, to: 10 }]} />);
    expect(container.querySelector("b")).toBeNull();
    expect(container.querySelector("mark")?.textContent).toBe("<b>wal⟨U+202E⟩");
    expect(container.textContent).toBe("💥💥 <b>wal⟨U+202E⟩rus</b>");
  });
});
