// From a goal to a draft: it goes to the plan's screen, asks, fails, is left and gone on with, and nothing typed is lost.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { demoHost } from "../ipc/demo";
import { Fault, type Host, setHost } from "../ipc/host";
import { answer } from "./decide";
import { useDraft } from "./draft";
import { changeGoal, readKept, useGoal } from "./goal";
import { useNotices } from "./notices";
import {
  answerPlanner,
  editByHand,
  leavePlanning,
  makePlan,
  phaseOf,
  planOn,
  useDriven,
  usePlanning,
  watchPlanning,
} from "./planning";
import { go, useRoute } from "./route";

let host: Host;
let stop: () => void = () => undefined;

/** Starts from Home and looks at the plan's screen, as a person does. */
async function begin(text: string): Promise<string> {
  changeGoal({ text });
  expect(await makePlan()).toBe(true);
  const { route } = useRoute.getState();
  if (!("run" in route)) throw new Error("the window did not go to the plan");
  stop = watchPlanning(route.run);
  return route.run;
}

const phase = () => {
  const now = usePlanning.getState();
  const { since, byHand } = useDriven.getState();
  return phaseOf(now, since[now.run ?? ""] !== undefined, byHand[now.run ?? ""] === true);
};
const until = (wanted: string) => vi.waitFor(() => expect(phase()).toBe(wanted), { timeout: 4000, interval: 5 });

beforeEach(() => {
  stop();
  window.sessionStorage.clear();
  host = demoHost({ pace: 0.01 });
  setHost(host);
  useNotices.setState({ notices: [] });
  useDriven.setState({ since: {}, byHand: {} });
  useGoal.setState(readKept());
  go({ screen: "home" });
});

describe("a planning", () => {
  it("goes on at the plan's screen until the plan is there", async () => {
    const run = await begin("Compare our prices");
    expect(useRoute.getState().route).toEqual({ screen: "plan", run });
    await until("going");
    await until("over");
    const { view, events, row } = usePlanning.getState();
    expect(view?.calls.map((call) => call.outcome)).toEqual(["complete", "complete"]);
    expect(view?.calls[0]?.answer).toContain("tasks");
    expect(events.map((event) => event.seq)).toEqual(events.map((_, ix) => ix + 1));
    expect(Number(row?.spent.usd)).toBeGreaterThan(0);
    expect((await host.draft(run)).tasks).toHaveLength(9);
    expect(useGoal.getState().text).toBe("");
  });

  it("shows the draft that came, where it is open already", async () => {
    const run = await begin("Compare our prices");
    useDraft.setState({ run, view: await host.draft(run) });
    await until("over");
    await vi.waitFor(() => expect(useDraft.getState().view?.tasks).toHaveLength(9));
  });

  it("asks, takes the answer and goes on by itself", async () => {
    const run = await begin("Which shops are cheaper?");
    await until("asks");
    const [question] = usePlanning.getState().decisions;
    expect(question?.kind).toBe("question");
    expect(await answerPlanner(question!, '{"month":"2026-11"}')).toBeNull();
    await until("over");
    expect((await host.draft(run)).tasks).toHaveLength(9);
    expect(await answerPlanner(question!, "{}")).toContain("answered already");
  });

  it("goes on as well when the answer is given on the Waiting screen, and tells when it is done", async () => {
    const run = await begin("Which shops are cheaper?");
    await until("asks");
    go({ screen: "waiting" });
    const [question] = await host.inbox();
    expect(await answer(question!, '{"month":"2026-11"}')).toBeNull();
    await vi.waitFor(() => expect(useNotices.getState().notices.map((n) => n.tone)).toEqual(["done"]));
    useNotices.getState().notices[0]?.action?.act();
    expect(useRoute.getState().route).toEqual({ screen: "plan", run });
  });

  it("is left where it is, and gone on with", async () => {
    const run = await begin("Compare our prices");
    await until("going");
    await leavePlanning(run);
    await until("left");
    await planOn(run);
    expect(phase()).toBe("over");
    expect(usePlanning.getState().view?.state).toBe("planned");
  });

  it("says why there is no plan, tries again, and lets a person go on by hand", async () => {
    const run = await begin("fail at it");
    await until("failed");
    expect(usePlanning.getState().view?.error).toContain("credit");
    const calls = usePlanning.getState().view!.calls.length;
    await planOn(run);
    expect(usePlanning.getState().view!.calls.length).toBe(calls + 1);
    expect(phase()).toBe("failed");
    editByHand(run);
    expect(phase()).toBe("over");
    await planOn(run);
    expect(phase()).toBe("failed");
  });

  it("is joined and not begun twice", async () => {
    const run = await begin("Compare our prices");
    await until("going");
    expect(await planOn(run)).toBeNull();
    await until("over");
    expect(usePlanning.getState().view?.calls).toHaveLength(2);
  });

  it("keeps the goal where it can't be opened, and over a reload", async () => {
    host.openGoal = () => Promise.reject(new Fault("no_model", "No model is set up."));
    changeGoal({ text: "Compare", files: [{ path: "/a/b.csv", isFolder: false }] });
    expect(await makePlan()).toBe(false);
    expect(useRoute.getState().route).toEqual({ screen: "home" });
    expect(useNotices.getState().notices[0]?.text).toBe("No model is set up.");
    expect(useGoal.getState().text).toBe("Compare");
    expect(readKept()).toMatchObject({ text: "Compare", files: [{ path: "/a/b.csv" }] });
  });

  it("shows nothing of a plan that began with no goal", async () => {
    const { run } = await host.openPlan("samples/margin-report");
    stop = watchPlanning(run);
    await vi.waitFor(() => expect(usePlanning.getState().isKnown).toBe(true));
    expect(phase()).toBe("none");
  });
});
