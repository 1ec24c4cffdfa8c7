// Where a click on a notification of the system leads: to the plan while it is a draft or its planner asks, to the run once it
// is one, and to words where there is neither any more.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import { useNotices } from "./notices";
import { openRun } from "./open";
import { useRoute } from "./route";

let host: Host;

beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  useRoute.setState({ route: { screen: "settings" } });
  useNotices.setState({ notices: [] });
});

const route = () => useRoute.getState().route;

describe("a click on a notification", () => {
  it("leads to the run that has ended, failed or asks", async () => {
    const { run } = await host.openPlan("samples/margin-report");
    await host.approve(run, (await host.approval(run)).digest, "{}", { off: [], flows: [] });
    await vi.waitFor(async () => expect((await host.inbox()).length).toBe(1));
    await openRun(run);
    expect(route()).toEqual({ screen: "run", run });
  });

  it("leads to the plan whose planner asks", async () => {
    const { run } = await host.openPlan("samples/margin-report");
    await openRun(run);
    expect(route()).toEqual({ screen: "plan", run });
  });

  it("says so where it has been deleted meanwhile, and stays where one is", async () => {
    const { run } = await host.openPlan("samples/margin-report");
    await host.deleteRuns([run]);
    await openRun(run);
    expect(route()).toEqual({ screen: "settings" });
    expect(useNotices.getState().notices[0]?.text).toMatch(/may have been deleted/);
  });
});
