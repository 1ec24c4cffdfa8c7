// Edits: one after the other, each on the revision before it; a conflict reads anew; a refusal changes nothing.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PlanEdit } from "../ipc/bindings";
import { demoHost } from "../ipc/demo";
import { Fault, type Host, setHost } from "../ipc/host";
import { edit, isStale, openDraft, undo, useDraft } from "./draft";
import { useNotices } from "./notices";

const title = (text: string): PlanEdit => ({
  setTask: { id: "margins", field: "/title", value: JSON.stringify(text) },
});
const titleNow = () => useDraft.getState().view?.tasks.find((task) => task.id === "margins")?.title;

let host: Host;

beforeEach(async () => {
  host = demoHost();
  setHost(host);
  useNotices.setState({ notices: [] });
  const { run } = await host.openPlan("samples/margin-report");
  await openDraft(run);
});

describe("a draft", () => {
  it("sends edits in order, though nobody waits in between", async () => {
    const seen: number[] = [];
    const real = host.editDraft;
    host.editDraft = (run, revision, edits) => {
      seen.push(revision);
      return real(run, revision, edits);
    };
    await Promise.all([edit([title("One")]), edit([title("Two")]), edit([title("Three")])]);
    expect(seen).toEqual([1, 2, 3]);
    expect(titleNow()).toBe("Three");
  });

  it("undoes", async () => {
    await edit([title("Other")]);
    await undo();
    expect(titleNow()).toBe("Work out margins");
  });

  it("reads the plan anew when it was changed elsewhere, and says so", async () => {
    const { run } = useDraft.getState().view!;
    await host.editDraft(run, 1, [title("From elsewhere")]);
    expect(await edit([title("Mine")])).toBeNull();
    expect(titleNow()).toBe("From elsewhere");
    expect(useNotices.getState().notices).toHaveLength(1);
  });

  it("keeps the plan and shows the reason when an edit is refused", async () => {
    expect(await edit([{ connect: { from: "save_report", to: "margins" } }])).toBeNull();
    expect(useDraft.getState().view?.revision).toBe(1);
    expect(useNotices.getState().notices[0]?.text).toContain("loop");
  });

  it("goes on after a fault of the host", async () => {
    const real = host.editDraft;
    host.editDraft = vi.fn().mockRejectedValueOnce(new Fault("store", "The disk is full.")).mockImplementation(real);
    expect(await edit([title("Lost")])).toBeNull();
    await edit([title("Kept")]);
    expect(titleNow()).toBe("Kept");
    expect(useDraft.getState().pending).toBe(0);
  });

  it("tells a stale revision from other conflicts", () => {
    expect(isStale(new Fault("revised", ""))).toBe(true);
    expect(isStale(new Fault("answered", ""))).toBe(false);
  });
});
