// The whole window in a real browser under the shipped policy: edit by pointer and by key, approve, run, answer, and axe.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { approve, browserPath, by, drag, middle, openSample, Served } from "./served";

let served: Served;

beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

const edges = (page: Page) =>
  page
    .locator(".react-flow__edge")
    .evaluateAll((all) => all.map((e) => (e as unknown as HTMLElement).dataset.id).sort());
const status = (page: Page, task: string, state: string) =>
  page.waitForSelector(`[data-testid="task-${task}"][data-status="${state}"]`, { timeout: 30_000 });

/** In Waiting, the list of decisions lies beside the question and never over it; where the run stands gives way. */
async function isReadInTheSmallestWindow(page: Page): Promise<void> {
  const before = page.viewportSize();
  await by(page, "rail-waiting").click();
  await by(page, "inbox").waitFor();
  await page.setViewportSize({ width: 1024, height: 640 });
  await page.waitForFunction(() => document.querySelector("aside.panel.right") === null);
  const edge = (selector: string, side: "left" | "right") =>
    page
      .locator(selector)
      .first()
      .evaluate((element, at) => element.getBoundingClientRect()[at], side);
  expect(await edge("[data-decision]", "left")).toBeGreaterThanOrEqual(await edge("aside.panel.left", "right"));
  if (before) await page.setViewportSize(before);
  await page.waitForSelector("aside.panel.right");
  await page.goBack();
}

describe.skipIf(!browserPath)("the window", { timeout: 90_000 }, () => {
  it("adds a task by dragging it from the palette, undoes and redoes it", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    const canvas = await by(page, "canvas").boundingBox();
    await drag(page, "palette-code", { x: canvas!.x + 160, y: canvas!.y + canvas!.height - 160 });
    await by(page, "task-code").waitFor();
    expect(await by(page, "inspector").textContent()).toContain("Work out a value");
    await page.keyboard.press("Control+z");
    await by(page, "task-code").waitFor({ state: "detached" });
    await page.keyboard.press("Control+Shift+z");
    await by(page, "task-code").waitFor();
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("connects by dragging, refuses a loop while dragging and says why, disconnects by Delete", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await drag(page, "out-query_costs", "task-normalise");
    await page.waitForSelector('[data-testid="edge-query_costs→normalise"]', { state: "attached" });
    const before = await edges(page);

    const start = await middle(page, "out-margins");
    const end = await middle(page, "task-query_costs");
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 4, start.y + 4);
    await page.mouse.move(end.x, end.y, { steps: 6 });
    await by(page, "refusal").waitFor();
    expect(await by(page, "refusal").textContent()).toContain("query_costs → margins");
    await page.mouse.up();
    await page.waitForTimeout(300);
    expect(await edges(page)).toEqual(before);

    await by(page, "task-normalise").click();
    await by(page, "disconnect-query_costs").click();
    await page.waitForSelector('[data-testid="edge-query_costs→normalise"]', { state: "detached" });
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("asks what comes next where a connection is let go over empty canvas", async () => {
    const { page } = await served.open();
    await openSample(page);
    const canvas = await by(page, "canvas").boundingBox();
    await drag(page, "out-save_report", { x: canvas!.x + 140, y: canvas!.y + canvas!.height - 150 });
    await by(page, "add-human").click();
    await page.waitForSelector('[data-testid="edge-save_report→ask"]', { state: "attached" });
    await page.close();
  });

  it("moves a card by dragging and keeps its place", async () => {
    const { page } = await served.open();
    await openSample(page);
    const before = await middle(page, "task-save_report");
    await drag(page, "task-save_report", { x: before.x - 200, y: before.y + 40 });
    await page.waitForTimeout(300);
    const after = await middle(page, "task-save_report");
    expect(Math.round(before.x - after.x)).toBeGreaterThan(150);
    // Nothing else would move, so the card that was put there by hand comes home. A worker lays the plan out meanwhile.
    await by(page, "tidy").click();
    const off = async () => Math.abs((await middle(page, "task-save_report")).x - before.x);
    await expect.poll(off, { timeout: 8000 }).toBeLessThan(3);
    await page.close();
  });

  it("edits wholly by keyboard: walk, add, connect, rename, delete, list view", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    expect(await by(page, "canvas-flow").getAttribute("aria-activedescendant")).toBe("card-normalise");
    await page.keyboard.press("c");
    await page.waitForSelector('[data-testid="edge-normalise→code"]', { state: "attached" });
    await page.keyboard.press("e");
    await by(page, "connect-find").fill("save");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-testid="edge-code→save_report"]', { state: "attached" });
    await by(page, "connect-find").waitFor({ state: "detached" });
    await page.keyboard.press("F2");
    await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Mine");
    await page.keyboard.press("Enter");
    await expect.poll(() => by(page, "task-code").textContent()).toContain("Mine");
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("l");
    await by(page, "row-code").focus();
    await page.keyboard.press("Delete");
    await by(page, "row-code").waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await by(page, "row-code").waitFor();
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("lists problems live, leads to their place, mends by quick fix and blocks the approval meanwhile", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-margins").click();
    await by(page, "disconnect-query_costs").click();
    await by(page, "task-normalise").click();
    await page.keyboard.press("Delete");
    await by(page, "problem-unknown_input").waitFor();
    await by(page, "to-fix").waitFor();
    await by(page, "problem-unknown_input").locator(".problem-text").click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest("[data-field]")?.getAttribute("data-field")))
      .toContain("/inputs");
    await page.keyboard.press("Escape");
    await page.close();
  });

  it("copies and pastes tasks as plain plan text", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-normalise").click();
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await by(page, "task-normalise_2").waitFor();
    await page.close();
  });

  it("goes the whole path: approve, watch, pause, go on, answer, result, new draft", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "to-approve").click();
    await by(page, "grants").waitFor();
    await page.locator('[data-testid="form/floor"]').fill("0.20");
    // Nothing is signed before the choice about outside text is made; the key leads there, the keyboard makes it.
    await page.keyboard.press("Control+Enter");
    expect(await by(page, "flow-ask").evaluate((way) => way === document.activeElement)).toBe(true);
    expect(await by(page, "approve").getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Space");
    await page.keyboard.press("Control+Enter");
    await status(page, "read_northwind", "RUNNING");
    await page.keyboard.press("p");
    await page.waitForSelector('[data-testid="run"][data-status="PAUSED"]');
    await page.keyboard.press("p");
    await status(page, "check_outliers", "WAITING");
    await page.locator('[data-testid="rail-waiting"] .count').waitFor();
    await isReadInTheSmallestWindow(page);
    await by(page, "answer").click();
    await by(page, "send-answer").click();
    expect(await page.locator(".decision .fault").count()).toBe(1);
    await page.locator('[data-testid="form/verdict"] [data-value="Wrong"]').click();
    await by(page, "send-answer").click();
    await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 30_000 });
    await by(page, "task-save_report").click();
    await by(page, "tab-trace").click();
    await by(page, "step-call").waitFor();
    await page.keyboard.press("Escape");
    await by(page, "markdown").waitFor();
    await by(page, "edit-copy").click();
    await by(page, "to-approve").waitFor();
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("follows a change of the system's theme at run time, canvas and all", async () => {
    const { page } = await served.open({ theme: "dark" });
    await openSample(page);
    const ground = () => page.evaluate(() => getComputedStyle(document.querySelector(".canvas")!).backgroundColor);
    expect(await ground()).toBe("rgb(13, 19, 24)");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(ground).toBe("rgb(242, 240, 234)");
    await page.close();
  });

  it("stays usable at 1024 × 640 and at 150 % text: nothing of the frame is cut off", async () => {
    const { page } = await served.open({ width: 1024, height: 640 });
    await by(page, "rail-settings").click();
    await by(page, "settings-look").click();
    await page.locator('[data-testid="text-size"] [data-value="150"]').click();
    await by(page, "rail-home").click();
    await openSample(page);
    for (const id of ["rail-settings", "stage-plan", "to-approve", "inspector-plan"]) {
      const box = await by(page, id).boundingBox();
      expect(box, id).not.toBeNull();
      expect(box!.x >= 0 && box!.x + Math.min(box!.width, 40) <= 1024 && box!.y + 20 <= 640, id).toBe(true);
    }
    await page.close();
  });

  const screens: [string, (page: Page) => Promise<void>][] = [
    ["home", async (page) => by(page, "sample-Margin report").waitFor()],
    [
      "plan",
      async (page) => {
        await openSample(page);
        await by(page, "task-margins").click();
        await page.waitForTimeout(500);
      },
    ],
    [
      "plan with problems",
      async (page) => {
        await openSample(page);
        await by(page, "task-normalise").click();
        await page.keyboard.press("Delete");
        await page.waitForTimeout(300);
      },
    ],
    [
      "list view",
      async (page) => {
        await openSample(page);
        await page.keyboard.press("l");
        await by(page, "list-view").waitFor();
      },
    ],
    [
      "approve",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await by(page, "grants").waitFor();
      },
    ],
    [
      "approve with something off",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await by(page, "grant-switch").click();
        await by(page, "left-out").waitFor();
      },
    ],
    [
      "schedule",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await by(page, "grants").waitFor();
        await page.keyboard.press("s");
        await by(page, "bar-save_report").waitFor();
      },
    ],
    [
      "schedule as a table",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await by(page, "grants").waitFor();
        await page.keyboard.press("s");
        await by(page, "schedule-chart").waitFor();
        await page.keyboard.press("t");
        await by(page, "schedule-table").waitFor();
      },
    ],
    [
      "run",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await approve(page);
        await status(page, "read_contoso", "RETRYING");
        await by(page, "task-read_contoso").click();
        await page.waitForTimeout(300);
      },
    ],
    [
      "waiting",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await approve(page);
        await status(page, "check_outliers", "WAITING");
        await by(page, "rail-waiting").click();
        await by(page, "inbox").waitFor();
      },
    ],
    [
      "runs",
      async (page) => {
        await openSample(page);
        await by(page, "to-approve").click();
        await approve(page);
        await page.waitForTimeout(500);
        await by(page, "rail-runs").click();
        await by(page, "runs").waitFor();
      },
    ],
    [
      "settings",
      async (page) => {
        await by(page, "rail-settings").click();
        await by(page, "settings-storage").click();
        await by(page, "db-path").waitFor();
      },
    ],
    [
      "search",
      async (page) => {
        await by(page, "find").click();
        await by(page, "palette-input").waitFor();
      },
    ],
  ];

  describe.each(["dark", "light"] as const)("passes axe (WCAG A and AA), %s", (theme) => {
    it.each(screens)("%s", async (_, go) => {
      const { page, wrongs } = await served.open({ theme, width: 1440, height: 900 });
      await go(page);
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });

    it("gallery", async () => {
      const { page, wrongs } = await served.open({ path: `/gallery.html#${theme}`, theme, width: 1760, height: 1000 });
      await page.waitForTimeout(500);
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  });
});
