// Names and deletion in the lists: by menu and by key, told before what goes, and nothing that goes on.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { PlansScreen, RunsScreen } from "../features/home/ListScreens";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import { leaveList } from "../state/finding";
import { useKeeping } from "../state/keeping";
import { useLists } from "../state/lists";
import { useNotices } from "../state/notices";
import { DeleteDialog } from "./DeleteDialog";

let host: Host;

beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  useLists.setState({ runs: null, home: null });
  leaveList();
  useNotices.setState({ notices: [] });
  useKeeping.setState({ renaming: null, leaving: null, isBusy: false });
});

async function plans(): Promise<string> {
  const { run } = await host.openPlan("samples/four-tasks");
  render(
    <>
      <PlansScreen />
      <DeleteDialog />
    </>,
  );
  await screen.findByTestId(`run-${run}`);
  return run;
}

const name = (run: string) => screen.getByTestId(`run-${run}`).querySelector(".run-name") as HTMLElement;
const notices = () => useNotices.getState().notices.map((notice) => notice.text);

describe("a plan in the list", () => {
  it("is renamed by its menu, and by F2", async () => {
    const run = await plans();
    fireEvent.click(screen.getByTestId(`acts-${run}`));
    fireEvent.click(await screen.findByTestId("row-rename"));
    const field = await screen.findByTestId("rename-field");
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: " Monday " } });
    fireEvent.submit(field);
    await waitFor(() => expect(name(run).textContent).toContain("Monday"));
    expect((await host.draft(run)).title).toBe("Monday");
    fireEvent.keyDown(name(run), { key: "F2" });
    const again = await screen.findByTestId("rename-field");
    fireEvent.change(again, { target: { value: "x" } });
    fireEvent.keyDown(again, { key: "Escape" });
    await waitFor(() => expect(screen.queryByTestId("rename-field")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(name(run)));
    // Without a name it is called by its file again.
    fireEvent.keyDown(name(run), { key: "F2" });
    fireEvent.change(await screen.findByTestId("rename-field"), { target: { value: "" } });
    fireEvent.submit(screen.getByTestId("rename-field"));
    await waitFor(() => expect(name(run).textContent).toContain("Fetch, analyse, format"));
  });

  it("says what goes before it goes, and can be kept", async () => {
    const run = await plans();
    fireEvent.keyDown(name(run), { key: "Delete" });
    const dialog = await screen.findByTestId("delete-dialog");
    expect(dialog.textContent).toContain("Delete Fetch, analyse, format?");
    expect(dialog.textContent).toContain("2 recorded steps");
    expect(dialog.textContent).toContain("None. Only a backup");
    // The focus is on what changes nothing.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("confirm-keep")));
    fireEvent.click(screen.getByTestId("confirm-keep"));
    await waitFor(() => expect(useKeeping.getState().leaving).toBeNull());
    expect(await host.listRuns()).toHaveLength(1);
    fireEvent.keyDown(name(run), { key: "Delete" });
    fireEvent.click(await screen.findByTestId("delete-now"));
    await waitFor(() => expect(screen.queryByTestId(`run-${run}`)).toBeNull());
    expect(await host.listRuns()).toHaveLength(0);
    expect(notices().join()).toContain("1 entry deleted");
  });
});

describe("a run that goes on", () => {
  it("can't be deleted, and says what to do", async () => {
    host = demoHost({ pace: 50 });
    setHost(host);
    const { run } = await host.openPlan("samples/four-tasks");
    await host.approve(run, (await host.approval(run)).digest, "{}", { off: [], flows: [] });
    render(
      <>
        <RunsScreen />
        <DeleteDialog />
      </>,
    );
    await screen.findByTestId(`run-${run}`);
    fireEvent.keyDown(name(run), { key: "Delete" });
    const dialog = await screen.findByTestId("delete-dialog");
    expect(dialog.textContent).toContain("the demo is at work on it");
    expect(dialog.textContent).toContain("Stop it or let it end");
    expect(screen.queryByTestId("delete-now")).toBeNull();
    // Whoever asks all the same is refused by the engine.
    await act(async () => void (await host.deleteRuns([run])));
    expect(await host.listRuns()).toHaveLength(1);
  });
});
