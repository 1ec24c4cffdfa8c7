// Undo over everything: edits, pins and breakpoints, in the order of time. The host knows it, so that it outlives the window.
import { beforeEach, describe, expect, it } from "vitest";
import type { PlanEdit } from "../ipc/bindings";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import { edit, openDraft, redo, undo, useDraft } from "./draft";
import { breakAt, hold } from "./laid";

const title = (text: string): PlanEdit => ({
  setTask: { id: "margins", field: "/title", value: JSON.stringify(text) },
});
const now = () => useDraft.getState().view?.tasks.find((task) => task.id === "margins");

let host: Host;
let run: string;
beforeEach(async () => {
  host = demoHost({ pace: 0 });
  setHost(host);
  ({ run } = await host.openPlan("samples/margin-report"));
  await openDraft(run);
});

describe("undo", () => {
  it("takes back the newest of edits, pins and breakpoints, and does them again", async () => {
    await edit([title("One")]);
    await breakAt("margins", "before");
    await edit([title("Two")]);
    await hold("margins", "[1]");
    await hold("margins", "[2]");
    expect([now()?.title, now()?.breakpoint, now()?.pinned]).toEqual(["Two", "before", true]);

    await undo();
    expect(await host.heldOutput(run, "margins")).toBe("[1]");
    await undo();
    expect(now()?.pinned).toBe(false);
    await undo();
    expect([now()?.title, now()?.breakpoint]).toEqual(["One", "before"]);
    expect(useDraft.getState().view?.undoLabel).toContain("breakpoint");
    await undo();
    expect([now()?.title, now()?.breakpoint]).toEqual(["One", null]);
    await undo();
    expect(now()?.title).toBe("Work out margins");

    for (let n = 0; n < 5; n++) await redo();
    expect([now()?.title, now()?.breakpoint, await host.heldOutput(run, "margins")]).toEqual(["Two", "before", "[2]"]);
    expect(useDraft.getState().view?.canRedo).toBe(false);
  });

  it("asked for twice at once goes two steps back", async () => {
    await edit([title("One")]);
    await breakAt("margins", "after");
    await Promise.all([undo(), undo()]);
    expect([now()?.title, now()?.breakpoint]).toEqual(["Work out margins", null]);
  });

  it("leaves alone what was laid to the same effect", async () => {
    await breakAt("margins", null);
    expect(useDraft.getState().view?.canUndo).toBe(false);
  });
});
