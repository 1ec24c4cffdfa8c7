// Two runs side by side, as a person sees them in a real browser under the shipped policy, with axe: in both themes, in a
// small window and in German, nothing cut off.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { cut, unreachable } from "./cut";
import { approve, browserPath, by, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

async function finish(page: Page): Promise<void> {
  await by(page, "to-approve").click();
  await approve(page);
  await page.waitForSelector('[data-testid="task-check_outliers"][data-status="WAITING"]', { timeout: 40_000 });
  await page.locator('[data-testid="form/verdict"] [data-value="Real"]').click();
  await by(page, "send-answer").click();
  await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 40_000 });
}

/** A run, and a fork of it with an edit; both done, and compared from the look back. */
async function compared(page: Page): Promise<void> {
  await openSample(page);
  await finish(page);
  const run = page.url().split("/").at(-1);
  await by(page, "stage-review").click();
  await by(page, "review").waitFor();
  await page.keyboard.press("Escape");
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("f");
  await page.locator('[data-testid="fork-edit"]:not([disabled])').click();
  await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
  await by(page, "task-margins").click();
  await by(page, "field-instruction").fill("Say what is under the floor, and why.");
  await page.keyboard.press("Tab");
  await page.waitForTimeout(400);
  await finish(page);
  await by(page, "stage-review").click();
  await by(page, "review").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await by(page, `pick-${run}`).waitFor();
  expect(await violations(page)).toEqual([]);
  await by(page, `pick-${run}`).click();
  await by(page, "text-0").waitFor();
}

describe.skipIf(!browserPath)("two runs side by side", { timeout: 160_000 }, () => {
  for (const theme of ["dark", "light"] as const) {
    it(`is clean in the ${theme} theme`, async () => {
      const { page, wrongs } = await served.open({ theme });
      await page.setViewportSize({ width: 1024, height: 700 });
      await compared(page);
      expect(await violations(page)).toEqual([]);
      expect(await cut(page)).toEqual([]);
      expect(await unreachable(page, ".compare")).toEqual([]);
      await by(page, "difference-margins").click();
      await by(page, "compare-values").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await by(page, "compare-swap").click();
      await page.waitForFunction(
        () => document.querySelector("[data-testid=compare]")?.getAttribute("data-b") !== null,
      );
      expect(wrongs).toEqual([]);
      await page.close();
    });
  }
});
