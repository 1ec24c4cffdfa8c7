// Looking back on a run, as a person does it in a real browser under the shipped policy, with axe: every part in both themes, in a
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

async function lookBack(page: Page): Promise<void> {
  await openSample(page);
  await by(page, "to-approve").click();
  await approve(page);
  await page.waitForSelector('[data-testid="task-check_outliers"][data-status="WAITING"]', { timeout: 40_000 });
  await page.locator('[data-testid="form/verdict"] [data-value="Real"]').click();
  await by(page, "send-answer").click();
  await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]', { timeout: 40_000 });
  await by(page, "stage-review").click();
  await by(page, "review").waitFor();
}

describe.skipIf(!browserPath)("looking back", { timeout: 120_000 }, () => {
  for (const theme of ["dark", "light"] as const) {
    it(`is clean in every part in the ${theme} theme`, async () => {
      const { page, wrongs } = await served.open({ theme });
      await page.setViewportSize({ width: 1024, height: 700 });
      await lookBack(page);
      await page.keyboard.press("Escape");
      expect(await violations(page)).toEqual([]);
      for (let step = 0; step < 4; step += 1) await page.keyboard.press("Shift+ArrowLeft");
      await by(page, "row-read_contoso").click();
      await by(page, "attempt-2").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await cut(page)).toEqual([]);
      expect(await unreachable(page, ".review")).toEqual([]);
      await page.keyboard.press("t");
      await by(page, "span-table").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("t");
      await page.keyboard.press("f");
      await by(page, "going-paid").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  }

  it("draws bars, moves the line by key, and zooms at the pointer", async () => {
    const { page, wrongs } = await served.open({ theme: "dark" });
    await lookBack(page);
    const drawn = await page.locator(".gantt-bars").evaluate((canvas: HTMLCanvasElement) =>
      canvas
        .getContext("2d")
        ?.getImageData(0, 0, canvas.width, canvas.height)
        .data.some((byte) => byte > 0),
    );
    expect(drawn).toBe(true);
    const head = () => by(page, "playhead").evaluate((e) => e.getBoundingClientRect().left);
    const end = await head();
    await page.keyboard.press("Home");
    await page.waitForFunction((was) => {
      const line = document.querySelector('[data-testid="playhead"]');
      return line !== null && line.getBoundingClientRect().left < was - 100;
    }, end);
    const box = await page.locator(".gantt-bars").boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 20);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await page.waitForSelector('[data-testid="axis-out"]:not([disabled])');
    expect(wrongs).toEqual([]);
    await page.close();
  });
});
