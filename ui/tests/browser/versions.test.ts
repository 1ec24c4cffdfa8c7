// Versions, pins, breakpoints and trying one task, as a person does it in a real browser under the shipped policy, with axe.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { approve, browserPath, by, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

async function choose(page: Page, task: string): Promise<void> {
  await by(page, `task-${task}`).click();
  await by(page, "canvas-flow").focus();
}

async function editTwice(page: Page): Promise<void> {
  await by(page, "task-margins").click();
  await by(page, "field-instruction").fill("Work out the margin of each item.");
  await page.keyboard.press("Tab");
  await choose(page, "check_outliers");
  await page.keyboard.press("Delete");
  await by(page, "task-check_outliers").waitFor({ state: "detached" });
}

describe.skipIf(!browserPath)("versions", { timeout: 90_000 }, () => {
  for (const theme of ["dark", "light"] as const) {
    it(`are compared on the canvas and in words, and gone back to, in the ${theme} theme`, async () => {
      const { page, wrongs } = await served.open({ theme });
      await openSample(page);
      await editTwice(page);
      await by(page, "tab-versions").click();
      await by(page, "name-1").click();
      await by(page, "version-name").fill("As it was opened");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() =>
        document.querySelector('[data-testid="version-1"]')?.textContent?.includes("As it"),
      );
      expect(await violations(page)).toEqual([]);

      await by(page, "version-1").click();
      await by(page, "diff-panel").waitFor();
      await by(page, "task-check_outliers").waitFor();
      expect(await by(page, "task-check_outliers").textContent()).toContain("Removed");
      expect(await by(page, "task-margins").textContent()).toContain("Changed");
      await page.keyboard.press("]");
      expect(await by(page, "diff-panel").textContent()).toContain("Change 1 of");
      expect(await violations(page)).toEqual([]);
      // While versions are looked at, no key changes the plan.
      await by(page, "canvas-flow").focus();
      await page.keyboard.press("Delete");
      await page.keyboard.press("Escape");
      await by(page, "diff-panel").waitFor({ state: "detached" });
      await by(page, "task-margins").waitFor();

      await by(page, "version-1").click();
      await by(page, "go-back").click();
      await by(page, "diff-panel").waitFor({ state: "detached" });
      await by(page, "task-check_outliers").waitFor();
      await page.keyboard.press("Control+z");
      await by(page, "task-check_outliers").waitFor({ state: "detached" });
      expect(wrongs).toEqual([]);
      await page.close();
    });
  }

  it("are gone through by the keyboard alone", async () => {
    const { page } = await served.open();
    await openSample(page);
    await editTwice(page);
    await by(page, "tab-add").focus();
    await page.keyboard.press("ArrowRight");
    await by(page, "outline").waitFor();
    await page.keyboard.press("ArrowRight");
    await by(page, "versions").waitFor();
    await by(page, "version-3").focus();
    await page.keyboard.press("ArrowDown");
    await by(page, "diff-panel").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("version-2");
    await page.keyboard.press("Escape");
    await by(page, "diff-panel").waitFor({ state: "detached" });
    await page.close();
  });
});

describe.skipIf(!browserPath)("trying things out", { timeout: 90_000 }, () => {
  it("pins an output and stops at a task by keys, says both before the signature, and the run keeps to it", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await choose(page, "get_rates");
    await page.keyboard.press("p");
    await by(page, "pin").click();
    await page.locator('[data-testid="held-output"] .cm-content').click();
    await page.keyboard.type('{"EUR": 1.50}');
    await by(page, "keep-held").click();
    await by(page, "unpin").waitFor();
    await choose(page, "normalise");
    await page.keyboard.press("b");
    await page.waitForSelector('[data-testid="task-normalise"] .card-held.stop');
    expect(await by(page, "task-normalise").getAttribute("aria-label")).toContain("stops before it");
    expect(await violations(page)).toEqual([]);
    await by(page, "to-approve").click();
    const said = await by(page, "held").textContent();
    expect(said).toContain("is not executed; its output is held");
    expect(said).toContain("Stops before");
    expect(await violations(page)).toEqual([]);
    await approve(page);
    await page.waitForSelector('[data-testid="task-get_rates"][data-status="COMPLETED"]');
    await page.waitForSelector('[data-testid="task-get_rates"] .card-held.pin');
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("tries one task with what was given, as a plan of its own that asks for approval", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "task-save_report").click();
    await by(page, "try-task").click();
    await by(page, "try-dialog").waitFor();
    expect(await by(page, "try-open").isDisabled()).toBe(true);
    await page.locator('[data-testid="try-write_report"] .cm-content').click();
    await page.keyboard.type('{"text": "Hello"}');
    expect(await violations(page)).toEqual([]);
    await by(page, "try-open").click();
    await by(page, "approval").waitFor();
    expect(await by(page, "held").textContent()).toContain("is not executed");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("shows what the last run gave beside the places that are picked", async () => {
    const { page, wrongs } = await served.open();
    await by(page, "sample-Fetch, analyse, format").click();
    await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
    await by(page, "to-approve").click();
    await approve(page);
    await page.waitForSelector('[data-testid="task-fetch_sales"][data-status="COMPLETED"]');
    await page.keyboard.press("Control+1");
    await by(page, "edit-copy").click();
    await by(page, "palette-find").waitFor();
    await by(page, "task-analyze").click();
    await by(page, "last-sales").waitFor();
    await by(page, "pick-sales").click();
    await page.waitForSelector('[data-pointer="/rows/0/sku"]');
    expect(await page.locator('[data-pointer="/rows/0/sku"]').textContent()).toContain("2208");
    expect(await violations(page)).toEqual([]);
    await page.locator('[data-pointer="/rows/0/sku"]').click();
    await page.waitForFunction(() =>
      document.querySelector('[data-testid="last-sales"]')?.textContent?.includes("2208"),
    );
    expect(wrongs).toEqual([]);
    await page.close();
  });
});
