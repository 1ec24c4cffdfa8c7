// Limits and storage in the settings: kept as typed, refused in words, old runs told before they go.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { Limits } from "../features/settings/Limits";
import { Storage } from "../features/settings/Storage";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import { changeGoal, useGoal } from "../state/goal";
import { useKeeping } from "../state/keeping";
import { useNotices } from "../state/notices";
import { loadSettings, useSettings } from "../state/settings";
import { useStorage } from "../state/storage";
import { DeleteDialog } from "./DeleteDialog";

let host: Host;

beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  useStorage.setState({ view: null, limits: null, fault: null, busy: null });
  useNotices.setState({ notices: [] });
  window.sessionStorage.clear();
  useKeeping.setState({ renaming: null, leaving: null, isBusy: false });
});

const type = (testId: string, text: string) => {
  const field = screen.getByTestId(testId);
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
};

describe("limits", () => {
  it("are kept when the field is left, and brought back to the usual", async () => {
    render(<Limits />);
    await screen.findByTestId("limit-per-run");
    type("limit-per-run", "4");
    await waitFor(async () => expect((await host.limits()).perRun).toBe(4));
    type("limit-per-provider", "2");
    await waitFor(async () => expect((await host.limits()).perProvider).toBe(2));
    expect((await host.limits()).perRun).toBe(4);
    fireEvent.click(screen.getByTestId("usual-per-run"));
    await waitFor(() => expect((screen.getByTestId("limit-per-run") as HTMLInputElement).value).toBe("16"));
  });

  it("say what is no limit, and keep the one before", async () => {
    render(<Limits />);
    await screen.findByTestId("limit-per-run");
    for (const bad of ["0", "", "many", "1.5", "10001"]) {
      type("limit-per-run", bad);
      expect(await screen.findByText(/whole number from 1 to 10,000/)).toBeTruthy();
      expect(screen.getByTestId("limit-per-run").getAttribute("aria-invalid")).toBe("true");
    }
    expect((await host.limits()).perRun).toBe(16);
    type("limit-per-run", "16");
    await waitFor(() => expect(screen.queryByText(/whole number/)).toBeNull());
  });

  it("of new goals are kept, and the goal that is being written follows as far as it has not been given others", async () => {
    useGoal.setState({ cap: "", minutes: "90" });
    useSettings.setState({ goalCap: "", goalMinutes: "" });
    render(<Limits />);
    await screen.findByTestId("default-cap");
    type("default-cap", " 0.50 ");
    type("default-time", "30");
    await waitFor(async () => expect(await host.loadSettings()).toMatchObject({ goalCap: "0.50", goalMinutes: "30" }));
    expect(useGoal.getState()).toMatchObject({ cap: "0.50", minutes: "90" });
    type("default-cap", "a lot");
    expect(screen.getByTestId("default-cap").getAttribute("aria-invalid")).toBe("true");
    expect((await host.loadSettings()).goalCap).toBe("0.50");
    type("default-cap", "");
    await waitFor(async () => expect((await host.loadSettings()).goalCap).toBe(""));
  });

  it("of new goals hold from the next start on, and not for a goal that was begun", async () => {
    await host.saveSetting("goalCap", "2");
    await host.saveSetting("goalMinutes", "soon");
    useGoal.setState({ cap: "", minutes: "" });
    useSettings.setState({ goalCap: "", goalMinutes: "" });
    await loadSettings();
    expect(useGoal.getState()).toMatchObject({ cap: "2", minutes: "" });
    changeGoal({ cap: "7" });
    await loadSettings();
    expect(useGoal.getState().cap).toBe("7");
  });

  it("are set for single tools and taken away again", async () => {
    await host.keepLimits({ perRun: null, perProvider: null, tools: [{ tool: "http.get", atOnce: 2 }] });
    render(<Limits />);
    await screen.findByTestId("limit-http.get");
    type("limit-http.get", "3");
    await waitFor(async () => expect((await host.limits()).tools).toEqual([{ tool: "http.get", atOnce: 3 }]));
    fireEvent.click(screen.getByTestId("unlimit-http.get"));
    await waitFor(async () => expect((await host.limits()).tools).toEqual([]));
  });
});

describe("storage", () => {
  it("says what takes room, copies and tidies", async () => {
    await host.openPlan("samples/four-tasks");
    render(<Storage />);
    expect((await screen.findByTestId("storage")).textContent).toContain("0 runs, 1 draft");
    expect(screen.getByTestId("room").textContent).toContain("Outputs and answers");
    fireEvent.click(screen.getByTestId("backup"));
    await waitFor(() => expect(notices()).toMatch(/The database is copied to planloom-\d{4}-\d\d-\d\d\.db/));
    await waitFor(() => expect((screen.getByTestId("tidy") as HTMLButtonElement).disabled).toBe(false));
    fireEvent.click(screen.getByTestId("tidy"));
    await waitFor(() => expect(notices()).toContain("freed"));
    fireEvent.click(screen.getByTestId("sync"));
    await waitFor(async () => expect((await host.limits()).syncsEverything).toBe(true));
  });

  it("tells old runs before they go", async () => {
    const { run } = await host.openPlan("samples/four-tasks");
    const rows = host.listRuns;
    const old = { runs: [run], goes: { ...(await host.whatGoes([run])), runs: 0 } };
    setHost({ ...host, listRuns: rows, oldRuns: async (_days, withDrafts) => (withDrafts ? old : await none()) });
    render(
      <>
        <Storage />
        <DeleteDialog />
      </>,
    );
    await waitFor(() => expect(screen.getByTestId("old-count").textContent).toBe("There are none."));
    expect((screen.getByTestId("old-delete") as HTMLButtonElement).disabled).toBe(true);
    fireEvent.click(screen.getByTestId("old-drafts"));
    await waitFor(() => expect(screen.getByTestId("old-count").textContent).toContain("1 draft"));
    fireEvent.click(screen.getByTestId("old-delete"));
    expect((await screen.findByTestId("delete-dialog")).textContent).toContain("Delete 1 draft?");
    fireEvent.click(screen.getByTestId("delete-now"));
    await waitFor(async () => expect(await host.listRuns()).toHaveLength(0));
  });
});

const notices = () =>
  useNotices
    .getState()
    .notices.map((notice) => notice.text)
    .join();
const none = () => host.oldRuns(100_000, false);
