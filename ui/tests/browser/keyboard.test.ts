// The editor by keyboard alone in a real browser: the focus that is never lost, regions, the list as the canvas's twin, and
// gestures that have keys.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, by, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    return at?.dataset.testid ?? at?.className ?? "nothing";
  });
const paste = (page: Page, text: string) =>
  page.evaluate((plan) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", plan);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
const chain = (n: number) =>
  JSON.stringify({
    tasks: Array.from({ length: n }, (_, ix) => ({
      id: `t${ix}`,
      instruction: "x",
      task_type: "code",
      source: "return 1",
      dependencies: ix < 20 ? [] : [`t${ix - 20}`],
    })),
  });
/** Of these those that cannot be clicked at either end. */
const covered = (page: Page, ids: string[]) =>
  page.evaluate((all) => {
    const isFree = (id: string) => {
      const element = document.querySelector(`[data-testid="${id}"]`);
      const box = element?.getBoundingClientRect();
      if (!element || !box) return false;
      const y = box.top + box.height / 2;
      return [box.left + 6, box.right - 6].every((x) => element.contains(document.elementFromPoint(x, y)));
    };
    return all.filter((id) => !isFree(id));
  }, ids);
const revision = async (page: Page) => Number((await by(page, "revision").textContent())?.replace(/\D+/g, ""));

describe.skipIf(!browserPath)("by keyboard alone", { timeout: 90_000 }, () => {
  it("F6 goes round all regions, the canvas and the list among them, and back", async () => {
    const { page, wrongs } = await served.open({ width: 1440, height: 900 });
    await openSample(page);
    const round = async (key: string, steps: number) => {
      const seen: string[] = [];
      for (let n = 0; n < steps; n++) {
        await page.keyboard.press(key);
        seen.push(
          await page.evaluate(
            () => document.activeElement?.closest<HTMLElement>("[data-region]")?.dataset.region ?? "none",
          ),
        );
      }
      return seen;
    };
    await by(page, "canvas-flow").focus();
    expect(await round("F6", 4)).toEqual(["right", "title", "rail", "left"]);
    expect(await round("F6", 1)).toEqual(["work"]);
    expect(await focused(page)).toBe("canvas-flow");
    expect(await round("Shift+F6", 2)).toEqual(["left", "rail"]);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("l");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    expect(await round("F6", 5)).toEqual(["right", "title", "rail", "left", "work"]);
    expect(await focused(page)).toMatch(/^row-/);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("the focus is never lost: stages, new plans, notes, JSON, screens", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Shift+J");
    await expect.poll(() => focused(page)).toContain("cm-content");
    await by(page, "canvas-toggle").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("canvas-flow");
    await by(page, "to-approve").focus();
    await page.keyboard.press("Enter");
    await by(page, "grants").waitFor();
    await page.keyboard.press("Control+1");
    await by(page, "to-approve").waitFor();
    await expect.poll(() => focused(page)).toBe("canvas-flow");
    await page.keyboard.press("Shift+F10");
    await by(page, "act-note").click();
    // The note is there when its field has the focus.
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Ask Ada");
    await page.keyboard.press("Escape");
    expect(await by(page, "note-note_1").textContent()).toContain("Ask Ada");
    expect(await focused(page)).toBe("note-note_1");
    await page.keyboard.press("Delete");
    await expect.poll(() => focused(page)).toBe("canvas-flow");
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await expect.poll(() => focused(page)).not.toBe("nothing");
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
    await page.keyboard.press("n");
    await by(page, "empty-canvas").waitFor();
    await expect.poll(() => focused(page)).toBe("canvas-flow");
    // The sheet of all keys closes by the first Escape.
    await page.keyboard.press("?");
    await by(page, "keys").waitFor();
    await page.keyboard.press("Escape");
    await by(page, "keys").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("canvas-flow");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("renames and comes back: Enter keeps the name, Escape the old one, and the task stays chosen", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-margins").click();
    await page.keyboard.press("F2");
    await expect.poll(() => focused(page)).toBe("field-title");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Margins");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("canvas-flow");
    await expect.poll(() => by(page, "task-margins").textContent()).toContain("Margins");
    await page.keyboard.press("F2");
    await expect.poll(() => focused(page)).toBe("field-title");
    const kept = await revision(page);
    await page.keyboard.type("Not this");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("canvas-flow");
    await by(page, "inspector").waitFor();
    await page.waitForTimeout(900);
    expect(await by(page, "task-margins").textContent()).toContain("Margins");
    expect(await by(page, "task-margins").textContent()).not.toContain("Not this");
    expect(await revision(page)).toBe(kept);
    await page.close();
  });

  it("the list acts on the row that has the focus and never loses it", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("l");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    const first = (await focused(page)).slice(4);
    await page.keyboard.press("e");
    await by(page, "connect-dialog").waitFor();
    await page.keyboard.press("Escape");
    await by(page, "connect-dialog").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe(`row-${first}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Delete");
    await by(page, `row-${first}`).waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    await page.keyboard.press("Control+z");
    await by(page, `row-${first}`).waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    await page.keyboard.press("i");
    await page.keyboard.type("code");
    await page.keyboard.press("Enter");
    await by(page, "row-code").waitFor();
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    await page.keyboard.press("Control+x");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("goes to the end of a long list and back, with the focus on the row", async () => {
    const { page, wrongs } = await served.open();
    await by(page, "new-plan").click();
    await by(page, "empty-canvas").waitFor();
    await paste(page, chain(300));
    await by(page, "selection-bar").waitFor();
    // What is told stands above the bar, not over it.
    const notice = await by(page, "notice-plain").boundingBox();
    const bar = await by(page, "selection-bar").boundingBox();
    expect(notice!.y + notice!.height).toBeLessThanOrEqual(bar!.y);
    await page.keyboard.press("Escape");
    await by(page, "canvas-flow").focus();
    // All of it fits, however small that makes it.
    await page.keyboard.press("Shift+1");
    const canvas = await by(page, "canvas").boundingBox();
    await expect
      .poll(async () => (await by(page, "task-t299").boundingBox())?.y ?? Number.POSITIVE_INFINITY)
      .toBeLessThan(canvas!.y + canvas!.height - 20);
    await page.keyboard.press("l");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    await page.keyboard.press("End");
    await expect.poll(() => focused(page)).toBe("row-t299");
    expect(await by(page, "list-view").evaluate((box) => box.scrollTop)).toBeGreaterThan(5000);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => focused(page)).toMatch(/^row-t29\d$/);
    await page.keyboard.press("Home");
    await expect.poll(() => focused(page)).toBe("row-wave-1");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("adds with one step of undo, and takes back pins and breakpoints in their turn", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-normalise").click();
    const before = await revision(page);
    await page.keyboard.press("c");
    await by(page, "task-code").waitFor();
    expect(await revision(page)).toBe(before + 1);
    await by(page, "task-margins").click();
    await page.keyboard.press("b");
    await expect.poll(() => by(page, "undo").getAttribute("aria-label")).toContain("breakpoint");
    await page.keyboard.press("Control+z");
    await expect.poll(() => by(page, "undo").getAttribute("aria-label")).not.toContain("breakpoint");
    expect(await by(page, "task-code").count()).toBe(1);
    await page.keyboard.press("Control+z");
    await by(page, "task-code").waitFor({ state: "detached" });
    await page.close();
  });

  it("finds in the palette, adds by Enter and walks by arrows", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("/");
    await expect.poll(() => focused(page)).toBe("palette-find");
    await page.keyboard.type("echo");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("palette-tool-echo");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("palette-find");
    await page.keyboard.press("Enter");
    await by(page, "task-echo").waitFor();
    await by(page, "palette-find").focus();
    await page.keyboard.press("Escape");
    expect(await by(page, "palette-find").inputValue()).toBe("");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("canvas-flow");
    await page.close();
  });

  it("opens and closes the left panel by key where it lies over a narrow canvas", async () => {
    const { page } = await served.open({ width: 1024, height: 700 });
    await openSample(page);
    await by(page, "canvas-flow").focus();
    for (const shut of ["Control+b", "Escape"]) {
      await page.keyboard.press("Control+b");
      await by(page, "palette-find").waitFor();
      await page.keyboard.press(shut);
      await by(page, "palette-find").waitFor({ state: "detached" });
    }
    await page.keyboard.press("Control+b");
    await by(page, "left-close").click();
    await by(page, "palette-find").waitFor({ state: "detached" });
    // With large text no tool lies over another, on the canvas and over the list.
    for (const size of [20, 24]) {
      await page.evaluate((px) => {
        document.documentElement.style.fontSize = `${px}px`;
      }, size);
      await page.setViewportSize({ width: 1023, height: 700 });
      await page.setViewportSize({ width: 1024, height: 700 });
      const tools = [
        "show-palette",
        "tool-hand",
        "undo",
        "tidy",
        "save-entry",
        "list-toggle",
        "json-toggle",
        "to-approve",
      ];
      expect([size, await covered(page, tools)]).toEqual([size, []]);
      await page.keyboard.press("l");
      await by(page, "list-view").waitFor();
      expect([size, await covered(page, ["canvas-toggle", "json-toggle", "undo", "to-approve"])]).toEqual([size, []]);
      await page.keyboard.press("l");
      await by(page, "canvas-flow").waitFor();
    }
    await page.close();
  });

  it("walks on from a card that is no longer chosen, chooses more by Shift, pans with the hand, and finds the view again", async () => {
    const { page, wrongs } = await served.open({ width: 1440, height: 900 });
    await openSample(page);
    await by(page, "task-normalise").click();
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    expect(await by(page, "canvas-flow").getAttribute("aria-activedescendant")).toBe("card-margins");
    const dashes = () =>
      by(page, "task-margins").evaluate((node) => getComputedStyle(node.querySelector(".card")!).outlineStyle);
    expect(await dashes()).toBe("dashed");
    // A key that acts on a task acts on it.
    await page.keyboard.press("e");
    await by(page, "connect-dialog").waitFor();
    expect(await by(page, "connect-dialog").textContent()).toContain("Work out margins");
    await page.keyboard.press("Escape");
    await by(page, "connect-dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(() => page.locator(".card.selected").count()).toBe(2);
    const at = () => page.locator(".react-flow__viewport").evaluate((view) => (view as HTMLElement).style.transform);
    const before = await at();
    await page.keyboard.press("h");
    await page.keyboard.press("ArrowRight");
    const panned = await at();
    expect(panned).not.toBe(before);
    await page.keyboard.press("l");
    await expect.poll(() => focused(page)).toMatch(/^row-/);
    await page.keyboard.press("l");
    await by(page, "canvas-flow").waitFor();
    await expect.poll(at).toBe(panned);
    await page.keyboard.press("Control+2");
    await by(page, "grants").waitFor();
    // Shift 2 works on every canvas: what is chosen fills the view.
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Tab");
    const whole = await at();
    await page.keyboard.press("Shift+2");
    await expect.poll(at).not.toBe(whole);
    await page.keyboard.press("Control+1");
    await by(page, "to-approve").waitFor();
    await expect.poll(at).toBe(panned);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("leads an edge elsewhere and puts a task into it, from the list of a task's connections", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-write_report").click();
    await page.keyboard.press("Shift+E");
    await by(page, "connect-find").fill("save");
    await page.keyboard.press("Control+Enter");
    await by(page, "add-find").fill("code");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-testid="edge-code→save_report"]', { state: "attached" });
    await by(page, "task-query_costs").click();
    await page.keyboard.press("Shift+E");
    await by(page, "connect-dialog").waitFor();
    await page.keyboard.press("Shift+Enter");
    await by(page, "connect-find").fill("check");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-testid="edge-query_costs→check_outliers"]', { state: "attached" });
    await page.waitForSelector('[data-testid="edge-query_costs→margins"]', { state: "detached" });
    await page.close();
  });

  it("finds views and acts by Ctrl K, mistyped ones too, and offers nothing that can't be done", async () => {
    const { page } = await served.open();
    await openSample(page);
    const ask = async (text: string) => {
      await page.keyboard.press("Control+k");
      await by(page, "palette-input").fill(text);
      return (await page.locator(".palette-list .item").allTextContents()).join("|");
    };
    expect(await ask("aprove")).toContain("Review and approve");
    await page.keyboard.press("Escape");
    expect(await ask("note")).toContain("Add a note here");
    await by(page, "palette-input").fill("list");
    await page.keyboard.press("Enter");
    await by(page, "list-view").waitFor();
    expect(await ask("note")).not.toContain("Add a note here");
    await page.keyboard.press("Escape");
    await page.close();
  });

  it("a person's own keys reach the grants and the schedule", async () => {
    const { page } = await served.open();
    await page.evaluate(() =>
      window.sessionStorage.setItem("planloom", JSON.stringify({ keys: { "approve x": "z", "approve t": "u" } })),
    );
    await page.reload();
    await page.waitForSelector("html[data-ready=true]");
    await openSample(page);
    await by(page, "to-approve").click();
    await by(page, "grant-switch").focus();
    await page.keyboard.press("x");
    expect(await by(page, "left-out").count()).toBe(0);
    await page.keyboard.press("z");
    await by(page, "left-out").waitFor();
    await page.keyboard.press("s");
    await by(page, "schedule-chart").waitFor();
    await page.keyboard.press("u");
    await by(page, "schedule-table").waitFor();
    await page.close();
  });
});
