// Waiting: many decisions, the safe choice in focus, a link to one of them, other arguments for a call, faults by field, and an
// answer that came from elsewhere.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { DecisionView } from "../../ipc/bindings";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { useLists } from "../../state/lists";
import { useNotices } from "../../state/notices";
import { InboxScreen } from "./InboxScreen";
import { drawn, filtered, grouped, kindsOf } from "./sorted";

const options = (...answers: string[]) =>
  answers.map((answer, ix) => ({
    answer,
    label: answer,
    consequence: `What ${answer} does.`,
    isDefault: ix === answers.length - 1,
  }));

const decision = (id: string, more: Partial<DecisionView> = {}): DecisionView => ({
  id,
  run: "r1",
  kind: "grant",
  task: "pay",
  taskTitle: "Pay",
  question: `Question ${id}?`,
  options: options("once", "task", "run", "deny"),
  form: null,
  about: null,
  provenance: null,
  mayChange: false,
  holdsUp: 2,
  heldUp: ["Write receipts", "Email suppliers"],
  openedAt: Number(id.slice(1)),
  ...more,
});

let open: DecisionView[] = [];
let sent: string[] = [];

function desk(more: Partial<Host> = {}): void {
  setHost({
    ...demoHost({ pace: 0.01 }),
    inbox: async () => open,
    listRuns: async () => [],
    decide: async (_run, id, answer) => {
      sent.push(`${id} ${answer}`);
      open = open.filter((one) => one.id !== id);
    },
    watchRun: async () => () => undefined,
    ...more,
  });
}

beforeEach(async () => {
  // The second half of a double click answers nothing; each test is a click of its own.
  await new Promise((done) => setTimeout(done, 450));
  [open, sent] = [[], []];
  useLists.setState({ inbox: null, runs: null });
  useNotices.setState({ notices: [] });
  desk();
});

const card = (id: string) => screen.getByTestId(`decision-${id}`);

describe("the inbox", () => {
  it("has the safe choice in focus, and sends nothing by a single key", async () => {
    open = [decision("d1"), decision("d2")];
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    expect(card("d1").querySelector('[aria-checked="true"]')?.getAttribute("data-testid")).toBe("option-deny");
    fireEvent.keyDown(window, { key: "1" });
    expect(sent).toEqual([]);
    fireEvent.keyDown(window, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(sent).toEqual(['d1 "once"']));
  });

  it("says what each choice does and who waits for it", async () => {
    open = [decision("d1")];
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    expect(card("d1").textContent).toContain("What deny does.");
    expect(card("d1").textContent).toContain("Write receipts");
  });

  it("lands on the very decision that a link names", async () => {
    open = Array.from({ length: 60 }, (_, ix) => decision(`d${ix + 1}`));
    render(<InboxScreen wanted="r1/d41" />);
    await waitFor(() => expect(card("d41").className).toContain("focused"));
    await waitFor(() => expect(card("d41").contains(document.activeElement)).toBe(true));
  });

  it("draws few of very many, goes through all of them by J and K, and keeps what was typed", async () => {
    open = Array.from({ length: 200 }, (_, ix) => decision(`d${ix + 1}`, { kind: ix % 2 ? "grant" : "effect" }));
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    expect(screen.getAllByRole("article").length).toBeLessThan(20);
    fireEvent.click(card("d1").querySelector('[data-testid="option-once"]') as Element);
    for (let step = 0; step < 30; step++) act(() => void fireEvent.keyDown(window, { key: "j" }));
    expect(card("d31").className).toContain("focused");
    // What was chosen in the first stays, and what was only passed by is not drawn.
    expect(card("d1").querySelector('[aria-checked="true"]')?.getAttribute("data-testid")).toBe("option-once");
    expect(screen.queryByTestId("decision-d15")).toBeNull();
    fireEvent.change(screen.getByTestId("inbox-find"), { target: { value: "Question d200" } });
    expect(screen.getAllByRole("article")).toHaveLength(1);
  });

  it("says so when somebody else has answered what was in focus", async () => {
    open = [decision("d1", { run: "r9" }), decision("d2")];
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    act(() => useLists.setState({ inbox: [decision("d2")] }));
    await waitFor(() =>
      expect(
        useNotices
          .getState()
          .notices.map((n) => n.text)
          .join(),
      ).toContain("Question d1?"),
    );
  });

  it("says nothing of that where the answer came from here", async () => {
    open = [decision("d1"), decision("d2")];
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    fireEvent.keyDown(window, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(screen.queryByTestId("decision-d1")).toBeNull());
    expect(useNotices.getState().notices).toEqual([]);
  });

  it("marks what came from outside where it stands, and sends other arguments as the person's own", async () => {
    open = [
      decision("d1", {
        kind: "effect",
        options: options("allow", "deny"),
        about: '{"to":"#pricing","body":{"text":"Buy now","n":9007199254740993}}',
        mayChange: true,
        provenance: {
          tool: "chat.post",
          concerns: [],
          touches: [],
          earlier: [],
          parts: [
            {
              at: "/body/text",
              from: "the output of page",
              task: "page",
              isUntrusted: true,
              isPrivate: false,
              origins: [],
            },
          ],
        },
      }),
    ];
    render(<InboxScreen wanted={null} />);
    await screen.findByTestId("inbox");
    expect(screen.getByTestId("outside-/body/text").textContent).toContain("Buy now");
    fireEvent.click(screen.getByTestId("edit-arguments"));
    const field = await screen.findByLabelText("What would be sent", { selector: "textarea" });
    fireEvent.change(field, { target: { value: '{"to":"#pricing","body":{"text":"Mine","n":9007199254740993}}' } });
    expect(screen.getByTestId("changed-fields").textContent).toContain("body");
    fireEvent.click(screen.getByTestId("send-answer"));
    await waitFor(() =>
      expect(sent).toEqual(['d1 {"allow":{"to":"#pricing","body":{"text":"Mine","n":9007199254740993}}}']),
    );
  });

  it("tells what does not fit a form beside its field, and sends nothing", async () => {
    desk({
      checkAnswer: async (_run, _id, given) =>
        given.includes("bad") ? [{ at: "/name", message: "does not match the pattern" }] : [],
    });
    open = [
      decision("d1", {
        kind: "question",
        options: [],
        form: '{"type":"object","required":["name"],"properties":{"name":{"type":"string","pattern":"^ok"}}}',
      }),
    ];
    render(<InboxScreen wanted={null} />);
    const field = await screen.findByTestId("form/name");
    fireEvent.change(field, { target: { value: "bad" } });
    fireEvent.click(screen.getByTestId("send-answer"));
    await screen.findByText(/does not match the pattern/);
    expect(sent).toEqual([]);
    fireEvent.change(field, { target: { value: "ok" } });
    await new Promise((done) => setTimeout(done, 450));
    fireEvent.click(screen.getByTestId("send-answer"));
    await waitFor(() => expect(sent).toEqual(['d1 {"name":"ok"}']));
  });
});

describe("the list", () => {
  const all = [
    decision("d3", { run: "b" }),
    decision("d1", { run: "a" }),
    decision("d2", { run: "b", kind: "effect" }),
  ];

  it("stands by run, the oldest first", () => {
    expect(grouped(all).map((group) => [group.run, group.decisions.map((d) => d.id)])).toEqual([
      ["a", ["d1"]],
      ["b", ["d2", "d3"]],
    ]);
    expect(kindsOf(all)).toEqual([
      ["grant", 2],
      ["effect", 1],
    ]);
  });

  it("is filtered by kind and by words", () => {
    const ids = (kind: DecisionView["kind"] | null, text: string) =>
      filtered(all, { kind, text }, (d) => d.run).map((d) => d.id);
    expect(ids("effect", "")).toEqual(["d2"]);
    expect(ids(null, "QUESTION D3")).toEqual(["d3"]);
    expect(ids(null, "b")).toEqual(["d3", "d2"]);
  });

  it("is drawn near the one in focus, with what was visited, and says how many are not", () => {
    const many = Array.from({ length: 100 }, (_, ix) => decision(`d${ix}`));
    const shown = drawn(many, 50, new Set(["r1/d0"]));
    const gaps = shown.filter((item): item is number => typeof item === "number");
    expect(shown.length - gaps.length + gaps.reduce((sum, n) => sum + n, 0)).toBe(100);
    expect(gaps).toHaveLength(2);
  });
});
