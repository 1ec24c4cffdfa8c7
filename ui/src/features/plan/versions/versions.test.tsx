// Versions in the window: the list, a comparison as picture and as text, names, going back; and what is laid on tasks.
import { act, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { demoHost } from "../../../ipc/demo";
import { host, setHost } from "../../../ipc/host";
import { diffCards, diffEdges } from "../../../state/diffCards";
import { edit, openDraft, undo, useDraft } from "../../../state/draft";
import { breakAt, hold } from "../../../state/laid";
import { select, useSelection } from "../../../state/selection";
import { closeComparison, compare, goBackTo, nameVersion, readVersions, useVersions } from "../../../state/versions";
import { t } from "../../../text";
import { changesOf, linesOf, stepChange } from "./changes";
import { DiffPanel } from "./DiffPanel";
import { Versions } from "./Versions";

const view = () => {
  const now = useDraft.getState().view;
  if (!now) throw new Error("no plan is open");
  return now;
};
const compared = () => {
  const now = useVersions.getState().compared;
  if (!now) throw new Error("nothing is compared");
  return now;
};

async function opened(): Promise<string> {
  setHost(demoHost({ pace: 0.001 }));
  const { run } = await host().openPlan("samples/margin-report");
  await openDraft(run);
  return run;
}

async function changed(): Promise<string> {
  const run = await opened();
  await edit([{ setTask: { id: "margins", field: "/instruction", value: '"One.\\nTwo."' } }]);
  await edit([{ removeTasks: { ids: ["check_outliers"] } }]);
  await edit([
    { addTask: { task: '{"id":"note","instruction":"Note."}', after: ["margins"], before: [], position: null } },
  ]);
  await readVersions(run);
  return run;
}

beforeEach(() => {
  closeComparison();
  select([]);
});

describe("versions", () => {
  it("lists them, the newest first, and keeps a name", async () => {
    const run = await changed();
    await nameVersion(run, 1, "Before the cut");
    await act(async () => void render(<Versions view={view()} />));
    const numbers = screen.getAllByTestId(/^version-\d+$/).map((row) => row.dataset.testid);
    expect(numbers).toEqual(["version-4", "version-3", "version-2", "version-1"]);
    expect(screen.getByTestId("version-1").textContent).toContain("Before the cut");
    expect(screen.getByTestId("version-4").textContent).toContain(t.versions.now);
  });

  it("draws what differs as one picture, gone ones included, and never by colour alone", async () => {
    const run = await changed();
    await compare(run, 1, 1, 4);
    const { before, after, diff } = compared();
    const marks = new Map(diffCards(before, after, diff, "changes").map((card) => [card.id, card.diff ?? null]));
    expect(marks.get("margins")).toBe("changed");
    expect(marks.get("check_outliers")).toBe("removed");
    expect(marks.get("note")).toBe("added");
    expect(marks.get("normalise")).toBe(null);
    const label = diffCards(before, after, diff, "changes").find((card) => card.id === "note")?.label;
    expect(label).toContain("added");
    expect(diffCards(before, after, diff, "before").some((card) => card.id === "note")).toBe(false);
    expect(diffCards(before, after, diff, "after").some((card) => card.id === "check_outliers")).toBe(false);
    const looks = diffEdges(before, after, diff, "changes").map((e) => `${e.from}→${e.to} ${e.look}`);
    expect(looks).toContain("margins→note added");
    expect(looks).toContain("margins→check_outliers removed");
    expect(looks).toContain("normalise→margins pending");
  });

  it("tells every field with what stood there and what stands there", async () => {
    const run = await changed();
    await compare(run, 1, 1, 4);
    await act(async () => void render(<DiffPanel view={view()} compared={compared()} />));
    expect(screen.getByTestId("change-margins").textContent).toContain("One.");
    expect(screen.getByTestId("change-check_outliers").textContent).toContain(t.versions.change.removed);
    expect(screen.getByTestId("diff-panel").textContent).toContain(t.versions.needsApproval);
    stepChange(changesOf(compared().diff), 1);
    const first = useSelection.getState().tasks[0];
    stepChange(changesOf(compared().diff), -1);
    expect(changesOf(compared().diff).map((change) => change.task)).toContain(first);
  });

  it("goes back by one more edit, which can be undone", async () => {
    await changed();
    expect(await goBackTo(1)).toBe(true);
    expect(view().revision).toBe(5);
    expect(view().tasks.some((task) => task.id === "check_outliers")).toBe(true);
    await undo();
    expect(view().tasks.some((task) => task.id === "check_outliers")).toBe(false);
  });

  it("keeps equal lines out but for two beside the change", () => {
    const text = ["a", "b", "c", "d", "e", "f"];
    const lines = linesOf(text.join("\n"), text.map((line) => (line === "d" ? "D" : line)).join("\n"));
    expect(lines.map((line) => `${line.mark[0]}${line.text}`)).toEqual(["sb", "sc", "bd", "aD", "se", "sf"]);
    expect(linesOf("a", "a").every((line) => line.mark === "same")).toBe(true);
  });
});

describe("what is laid on a draft", () => {
  it("stands on the card, is said before the signature's run and holds in it", async () => {
    const run = await opened();
    await hold("margins", '{"rows": [1.50]}');
    await breakAt("write_report", "before");
    expect(view().revision).toBe(1);
    const task = view().tasks.find((x) => x.id === "margins");
    expect(task?.pinned).toBe(true);
    expect(await host().heldOutput(run, "margins")).toBe('{"rows":[1.50]}');
    expect(await hold("margins", null)).not.toBe(null);
    expect(view().tasks.some((x) => x.pinned)).toBe(false);
  });

  it("tries one task as a draft of its own, with what it reads held", async () => {
    const run = await opened();
    await expect(host().tryTask(run, "save_report", "{}")).rejects.toThrow("write_report");
    const made = await host().draft(await host().tryTask(run, "save_report", '{"write_report": {"text": "x"}}'));
    expect(made.isDraft).toBe(true);
    expect(made.tasks.map((x) => `${x.id} ${x.pinned}`)).toEqual(["write_report true", "save_report false"]);
  });
});
