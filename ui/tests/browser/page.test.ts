// Home, the list, saving and the approval in a real browser under the shipped policy: by keyboard alone, in both themes, with
// twice the text, and while an input method composes.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { cut, doubled, unreachable } from "./cut";
import { approve, browserPath, by, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

async function propose(page: Page): Promise<void> {
  await openSample(page);
  await page.keyboard.press("Shift+C");
  await by(page, "wish").waitFor();
  await page.keyboard.type("Check the prices first");
  await page.keyboard.press("Control+Enter");
  await by(page, "proposal-bar").waitFor();
}

type Key = { key: string; ctrlKey?: boolean };

/** Runs in the page: each key as it comes while an input method composes. */
function composing(field: Element, keys: string): void {
  field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  for (const key of JSON.parse(keys) as Key[]) {
    const init = { ...key, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent("keydown", { ...init, isComposing: true }));
    // WebKit ends a composition before the key that ended it, and marks that by 229.
    field.dispatchEvent(new KeyboardEvent("keydown", { ...init, keyCode: 229 }));
  }
  field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "\u65e5" }));
}

async function compareInList(page: Page): Promise<void> {
  await openSample(page);
  await by(page, "task-save_report").click();
  await page.keyboard.press("Delete");
  await by(page, "task-save_report").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Versions" }).click();
  await by(page, "version-1").click();
  await by(page, "diff-legend").waitFor();
  await page.keyboard.press("l");
  await by(page, "list-view").waitFor();
}

describe.skipIf(!browserPath)("the page", { timeout: 90_000 }, () => {
  it("saves a revision under a name by Ctrl S, and the file by a key of its own", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await page.keyboard.press("Control+s");
    await by(page, "save-dialog").waitFor();
    expect(await by(page, "save-name").evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await by(page, "save-name").inputValue()).not.toBe("");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("Before the split");
    await page.keyboard.press("Enter");
    await by(page, "save-dialog").waitFor({ state: "detached" });
    await page.getByText("Revision 1 is saved as “Before the split”").waitFor();
    await page.getByRole("tab", { name: "Versions" }).click();
    expect(await by(page, "version-1").textContent()).toContain("Before the split");
    await page.keyboard.press("Control+Shift+s");
    await page.getByText("Saved to", { exact: false }).waitFor();
    // From the list as well, and with what is still being typed in it.
    await page.keyboard.press("Escape");
    await page.keyboard.press("l");
    await by(page, "row-normalise").click();
    await by(page, "field-title").fill("Make them alike");
    await page.keyboard.press("Control+s");
    await by(page, "save-dialog").waitFor();
    expect(await by(page, "save-dialog").textContent()).toContain("Save revision 2");
    await page.keyboard.press("Escape");
    await by(page, "save-dialog").waitFor({ state: "detached" });
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("shows a proposed change in the list, where it is taken and left by keyboard alone", async () => {
    const { page, wrongs } = await served.open({ width: 1440, height: 900 });
    await propose(page);
    await page.keyboard.press("l");
    await by(page, "list-view").waitFor();
    expect(await by(page, "row-check_prices").textContent()).toContain("would be added");
    expect(await by(page, "row-save_report").textContent()).toContain("would be removed");
    await by(page, "row-save_report").focus();
    await page.keyboard.press("End");
    await page.waitForSelector('[data-task="save_report"][aria-selected="true"]');
    await page.keyboard.press("x");
    await page.waitForSelector('[data-testid="row-save_report"]:not([data-change])');
    await page.keyboard.press("]");
    await page.waitForSelector('tr[data-change][aria-selected="true"]');
    const id = await page.locator('tr[data-change][aria-selected="true"]').getAttribute("data-task");
    // The buttons are reached by Tab from their row, and do what the keys do.
    await page.locator(`tr[data-task="${id}"]`).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toContain("Take: ");
    await page.keyboard.press("Enter");
    await page.waitForSelector(`[data-testid="row-${id}"]:not([data-change])`);
    await page.keyboard.press("Control+z");
    await page.waitForSelector(`[data-testid="row-${id}"][data-change]`);
    await by(page, `row-${id}`).click();
    await page.keyboard.press("y");
    await page.waitForSelector(`[data-testid="row-${id}"]:not([data-change])`);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("shows two versions as one list, gone through by key, and goes back from there", async () => {
    const { page, wrongs } = await served.open({ width: 1440, height: 900 });
    await compareInList(page);
    expect(await by(page, "row-save_report").textContent()).toContain("Removed");
    expect(await by(page, "list-counts").textContent()).toContain("1 removed");
    await page.keyboard.press("]");
    await page.waitForSelector('[data-testid="row-save_report"][aria-selected="true"]');
    await page.keyboard.press("l");
    await by(page, "diff-legend").waitFor();
    await page.keyboard.press("l");
    await by(page, "go-back").click();
    await page.waitForSelector('[data-testid="row-save_report"]:not([data-change])');
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("folds the samples away once there is something, and leads on from what waits", async () => {
    const { page, wrongs } = await served.open({ width: 1440, height: 900 });
    await openSample(page);
    await by(page, "to-approve").click();
    await approve(page);
    await page.waitForSelector('[data-testid="task-check_outliers"][data-status="WAITING"]');
    await by(page, "rail-home").click();
    await by(page, "decisions-card").waitFor();
    const top = async (id: string) => (await by(page, id).boundingBox())?.y ?? -1;
    expect(await top("runs")).toBeLessThan(await top("samples-of-home"));
    expect(await page.locator("tr[data-status]").first().getAttribute("data-status")).toBe("WAITING");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("says all of this in German without cutting a word, in the smallest window", async () => {
    const { page, wrongs } = await served.open({ width: 1024, height: 700 });
    await by(page, "rail-settings").click();
    await by(page, "settings-look").click();
    await page.locator('[data-testid="language"] [data-value="de"]').click();
    await by(page, "settings-servers").click();
    expect(await cut(page)).toEqual([]);
    await by(page, "rail-home").click();
    await propose(page);
    expect(await unreachable(page, ".proposal-dock")).toEqual([]);
    await page.keyboard.press("l");
    await by(page, "list-view").waitFor();
    expect(await by(page, "row-save_report").textContent()).toContain("fiele weg");
    expect(await cut(page)).toEqual([]);
    expect(await unreachable(page, ".list-tools")).toEqual([]);
    await by(page, "leave-all").click();
    await by(page, "proposal-bar").waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    await by(page, "save-dialog").waitFor();
    expect(await cut(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await by(page, "to-approve").click();
    await by(page, "grants").waitFor();
    expect(await unreachable(page, ".approval")).toEqual([]);
    await page.keyboard.press("s");
    await by(page, "schedule-chart").waitFor();
    expect(await cut(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await by(page, "stage-plan").click();
    await by(page, "palette-find").waitFor();
    expect(await unreachable(page, ".left-panel [role=tablist]")).toEqual([]);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("lets no shortcut fire and nothing be sent while an input method composes", async () => {
    const { page, wrongs } = await served.open();
    const compose = (selector: string, keys: Key[]) => page.locator(selector).evaluate(composing, JSON.stringify(keys));
    const enter = { key: "Enter" };
    const all: Key[] = [
      enter,
      { key: "Enter", ctrlKey: true },
      { key: "Escape" },
      { key: "n" },
      { key: "k", ctrlKey: true },
    ];
    // The goal: it is not planned, no new plan is made, no search opens.
    await by(page, "goal").fill("\u5229\u76ca");
    await compose('[data-testid="goal"]', all);
    expect(await by(page, "home").count()).toBe(1);
    expect(await by(page, "palette-input").count()).toBe(0);
    expect(await by(page, "goal").inputValue()).toBe("\u5229\u76ca");
    // The canvas, where single letters act.
    await openSample(page);
    const tasks = await page.locator('[data-testid^="task-"]').count();
    await compose('[data-testid="canvas-flow"]', [{ key: "t" }, { key: "Delete" }, { key: "l" }, enter]);
    expect(await page.locator('[data-testid^="task-"]').count()).toBe(tasks);
    expect(await by(page, "list-view").count()).toBe(0);
    // The name of a revision: the Enter that takes a candidate does not save, Escape does not close.
    await page.keyboard.press("Control+s");
    await by(page, "save-dialog").waitFor();
    await compose('[data-testid="save-name"]', all);
    expect(await by(page, "save-dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    await by(page, "save-dialog").waitFor({ state: "detached" });
    // The wish.
    await page.keyboard.press("Shift+C");
    await by(page, "wish-text").fill("\u65e5");
    await compose('[data-testid="wish-text"]', all);
    expect(await by(page, "wish").count()).toBe(1);
    expect(await by(page, "asking").count()).toBe(0);
    await page.keyboard.press("Escape");
    // The approval: a parameter's field.
    await by(page, "to-approve").click();
    await by(page, "flow-ask").check();
    await compose('[data-testid="form/floor"]', all);
    expect(await by(page, "approval").count()).toBe(1);
    // And the search.
    await page.keyboard.press("Control+k");
    await by(page, "palette-input").waitFor();
    await compose('[data-testid="palette-input"]', [enter, { key: "ArrowDown" }]);
    expect(await by(page, "palette-input").count()).toBe(1);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  describe.each(["dark", "light"] as const)("with twice the text, %s", (theme) => {
    const screens: [string, (page: Page) => Promise<unknown>, string][] = [
      ["Home", (page) => by(page, "home").waitFor(), ".home"],
      ["settings", (page) => by(page, "rail-settings").click(), ".screen"],
      [
        "the approval",
        async (page) => {
          await openSample(page);
          await by(page, "to-approve").click();
          await by(page, "grants").waitFor();
        },
        ".approval",
      ],
      [
        "the list",
        async (page) => {
          await openSample(page);
          await page.keyboard.press("l");
          await by(page, "list-view").waitFor();
        },
        ":is(.list-tools, .list-view, .inspector)",
      ],
    ];
    it.each(screens)("%s can be used, with nothing cut", async (_, go, within) => {
      const { page, wrongs } = await served.open({ theme, width: 1280, height: 800 });
      await go(page);
      await doubled(page);
      const room = await page.locator(".work:has(.list-view), .approval, .screen").first().boundingBox();
      expect(room?.width).toBeGreaterThan(900);
      expect(await cut(page)).toEqual([]);
      expect(await unreachable(page, within)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  });

  describe.each(["dark", "light"] as const)("passes axe, %s", (theme) => {
    const screens: [string, (page: Page) => Promise<unknown>][] = [
      [
        "a proposed change in the list",
        async (page) => {
          await propose(page);
          await page.keyboard.press("l");
          await by(page, "list-view").waitFor();
          await by(page, "row-save_report").click();
        },
      ],
      ["two versions in the list", compareInList],
      [
        "the approval with its choice made",
        async (page) => {
          await openSample(page);
          await by(page, "to-approve").click();
          await by(page, "flow-allow").check();
        },
      ],
      [
        "Home with something begun",
        async (page) => {
          await openSample(page);
          await by(page, "rail-home").click();
          await by(page, "runs").waitFor();
        },
      ],
      [
        "saving a revision",
        async (page) => {
          await openSample(page);
          await page.keyboard.press("Control+s");
          await by(page, "save-dialog").waitFor();
        },
      ],
    ];
    it.each(screens)("%s", async (_, go) => {
      const { page, wrongs } = await served.open({ theme, width: 1440, height: 900 });
      await go(page);
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  });
});
