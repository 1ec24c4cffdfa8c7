// A change that the planner is asked for: the draft stays until a person takes pieces, each is one undo step, what no longer
// fits says so, and what is left out stays out.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import { onAnswer, watchAnswer } from "./answer";
import { draftCards, draftEdges } from "./cards";
import { edit, openDraft, undo, useDraft } from "./draft";
import { useNotices } from "./notices";
import {
  askForChange,
  changeWish,
  dropPieces,
  leftOf,
  openWish,
  readProposal,
  stepPiece,
  stopChange,
  takeAll,
  takenWith,
  takePieces,
  useProposal,
} from "./proposal";
import { withProposal } from "./proposalCards";

let host: Host;
let run: string;

const now = () => useProposal.getState();
const ids = () => leftOf(now().view).map((piece) => piece.id);
const tasks = () => useDraft.getState().view?.tasks.map((task) => task.id) ?? [];

async function ask(wish = "Check the prices first"): Promise<void> {
  openWish();
  changeWish(wish);
  await askForChange();
}

beforeEach(async () => {
  host = demoHost({ pace: 0.01 });
  setHost(host);
  useNotices.setState({ notices: [] });
  run = (await host.openPlan("samples/margin-report")).run;
  await openDraft(run);
  await readProposal(run);
});

describe("a change that the planner is asked for", () => {
  it("is proposed beside the draft, which stays as it is", async () => {
    const before = useDraft.getState().view?.document;
    await ask();
    expect(now()).toMatchObject({ since: null, isWishing: false, wish: "" });
    expect(ids()).toEqual(["change:normalise", "remove:save_report", "add:check_prices"]);
    expect((await host.draft(run)).document).toBe(before);
    expect(Number(now().view?.spent.usd)).toBeGreaterThan(0);
  });

  it("draws what would come, go and change, each with its word", async () => {
    await ask();
    const draft = useDraft.getState().view;
    if (!draft) throw new Error("no draft");
    const drawn = withProposal(draftCards(draft), draftEdges(draft), now().view);
    const marks = new Map(drawn.tasks.map((task) => [task.id, task.change]));
    expect([marks.get("check_prices"), marks.get("save_report"), marks.get("normalise"), marks.get("margins")]).toEqual(
      ["added", "removed", "changed", undefined],
    );
    expect(drawn.tasks.find((task) => task.id === "check_prices")?.label).toContain("would be added");
    const look = (from: string, to: string) => drawn.edges.find((edge) => edge.from === from && edge.to === to)?.look;
    expect(look("check_prices", "normalise")).toBe("added");
    expect(look("write_report", "save_report")).toBe("removed");
    expect(withProposal(draftCards(draft), draftEdges(draft), null).tasks).toHaveLength(draft.tasks.length);
  });

  it("is taken piece by piece with what each needs, and undone in one step", async () => {
    await ask();
    const view = now().view;
    if (!view) throw new Error("nothing proposed");
    expect(takenWith(view, "change:normalise").map((piece) => piece.id)).toEqual(["add:check_prices"]);
    await takePieces(["change:normalise"]);
    expect(tasks()).toContain("check_prices");
    expect(ids()).toEqual(["remove:save_report"]);
    await undo();
    await readProposal(run);
    expect(tasks()).not.toContain("check_prices");
    expect(ids()).toHaveLength(3);
    await takeAll();
    expect(tasks()).not.toContain("save_report");
    expect(now().view).toBeNull();
  });

  it("leaves out what needs a piece that is left out", async () => {
    await ask();
    await dropPieces(["add:check_prices"]);
    expect(ids()).toEqual(["remove:save_report"]);
    await dropPieces([]);
    expect(now().view).toBeNull();
    await readProposal(run);
    expect(now().view).toBeNull();
  });

  it("says in which place a person has moved on, and writes nothing over", async () => {
    await ask();
    await edit([{ setTask: { id: "normalise", field: "/instruction", value: '"Mine."' } }]);
    await readProposal(run);
    const moved = now().view?.pieces.find((piece) => piece.id === "change:normalise");
    expect(moved).toMatchObject({ standing: "moved", why: expect.stringContaining("`instruction`") });
    await takePieces(["change:normalise"]);
    expect(useNotices.getState().notices.at(-1)).toMatchObject({ tone: "fault" });
    expect(
      JSON.parse(useDraft.getState().view?.document ?? "{}").tasks.find((x: { id: string }) => x.id === "normalise")
        .instruction,
    ).toBe("Mine.");
    await takeAll();
    expect(tasks()).toContain("check_prices");
  });

  it("steps through what is left, round and round", async () => {
    await ask();
    expect(now().chosen).toBe("change:normalise");
    expect(stepPiece(1)?.id).toBe("remove:save_report");
    expect(stepPiece(-1)?.id).toBe("change:normalise");
    expect(stepPiece(-1)?.id).toBe("add:check_prices");
    await takePieces(["add:check_prices"]);
    expect(now().chosen).toBe("change:normalise");
  });

  it("keeps the words where nothing came of it, and where it could not be asked", async () => {
    await ask("fail this");
    expect(now().view).toMatchObject({ state: "failed", error: expect.stringContaining("The plan is as it was") });
    expect(now().wish).toBe("fail this");
    setHost(demoHost({ pace: 0.01, models: "none" }));
    const other = (await (await import("../ipc/host")).host().openPlan("samples/margin-report")).run;
    await openDraft(other);
    await readProposal(other);
    await ask("Anything");
    expect(now()).toMatchObject({ wish: "Anything", isWishing: true, fault: expect.stringContaining("No model") });
  });

  it("is stopped, and the draft is as it was", async () => {
    setHost(demoHost({ pace: 5 }));
    run = (await (await import("../ipc/host")).host().openPlan("samples/margin-report")).run;
    await openDraft(run);
    await readProposal(run);
    const asking = ask();
    await vi.waitFor(() => expect(now().view?.isGoing).toBe(true));
    await stopChange();
    await asking;
    expect(now()).toMatchObject({ view: null, since: null });
  });

  it("tells of the answer while it grows, once per look, and nothing after", async () => {
    const heard: string[] = [];
    const stop = watchAnswer(run);
    const off = onAnswer(run, (text) => heard.push(text));
    await host.askChange(run, "Check the prices first");
    const end = await host.watchPlanning(
      run,
      (text, goesOn) => heard.push(goesOn ? text : `|${text}`),
      () => undefined,
    );
    await host.changeOn(run);
    expect(heard.some((text) => text.includes("check_prices"))).toBe(true);
    off();
    stop();
    end();
    const count = heard.length;
    await host.askChange(run, "Again");
    await host.changeOn(run);
    expect(heard).toHaveLength(count);
  });
});
