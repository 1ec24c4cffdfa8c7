// Notices cover nothing that can be pressed, wherever they come up: in the settings, over a canvas with its panels, in the
// smallest window, with large text. And icons grow with the text.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, by, openSample, Served } from "./served";

let served: Served;

beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

/** A copy of the database ends with a notice, which the pointer holds. */
async function notified(page: Page): Promise<void> {
  await by(page, "rail-settings").click();
  await by(page, "settings-storage").click();
  await by(page, "backup").click();
  await by(page, "notice-done").waitFor();
  await by(page, "notice-done").dispatchEvent("mouseover");
}

/** What can be pressed and is under a notice; what its own box has scrolled out of sight is not. */
const covered = (page: Page) =>
  page.evaluate(() => {
    type Box = { left: number; right: number; top: number; bottom: number };
    const both = (a: Box, b: Box): Box => ({
      left: Math.max(a.left, b.left),
      right: Math.min(a.right, b.right),
      top: Math.max(a.top, b.top),
      bottom: Math.min(a.bottom, b.bottom),
    });
    const inSight = (e: Element): Box => {
      let box: Box = e.getBoundingClientRect();
      for (let up = e.parentElement; up; up = up.parentElement)
        if (/auto|scroll|hidden/.test(getComputedStyle(up).overflowY)) box = both(box, up.getBoundingClientRect());
      return box;
    };
    const notices = [...document.querySelectorAll(".notice")].map((notice) => notice.getBoundingClientRect());
    return [...document.querySelectorAll("button, input, textarea, [role=tab]")].flatMap((e) => {
      if (e.closest(".notices, .vh")) return [];
      const box = inSight(e);
      const isUnder = notices
        .map((notice) => both(box, notice))
        .some((o) => o.right - o.left > 1 && o.bottom - o.top > 1);
      return isUnder ? [e.textContent || e.getAttribute("aria-label") || e.tagName] : [];
    });
  });

describe.skipIf(!browserPath)("a notice", { timeout: 90_000 }, () => {
  const sizes: [number, number, number][] = [
    [1024, 700, 16],
    [1440, 900, 16],
    [1280, 800, 24],
    [1280, 800, 32],
  ];
  it.each(sizes)("covers nothing that can be pressed, at %i by %i with text of %i px", async (width, height, text) => {
    const { page, wrongs } = await served.open({ width, height });
    await page.evaluate((px) => {
      document.documentElement.style.fontSize = `${px}px`;
    }, text);
    await notified(page);
    await page.waitForTimeout(400);
    expect(await covered(page)).toEqual([]);
    await by(page, "rail-home").click();
    await page.waitForTimeout(400);
    expect(await covered(page)).toEqual([]);
    await openSample(page);
    await page.waitForTimeout(400);
    expect(await covered(page)).toEqual([]);
    await by(page, "to-approve").click();
    await by(page, "approval").waitFor();
    await page.waitForTimeout(700);
    expect(await covered(page)).toEqual([]);
    expect(await by(page, "notice-done").count()).toBe(1);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("floats over the canvas where there is room, and has a row of its own elsewhere", async () => {
    const { page } = await served.open({ width: 1440, height: 900 });
    await notified(page);
    await page.waitForTimeout(400);
    expect(await page.locator(".notices.floating").count()).toBe(0);
    await by(page, "rail-home").click();
    await openSample(page);
    await page.waitForTimeout(700);
    expect(await page.locator(".notices.floating").count()).toBe(1);
    await page.close();
  });
});

describe.skipIf(!browserPath)("icons", { timeout: 90_000 }, () => {
  it("grow with the text, up to twice", async () => {
    const { page } = await served.open({ width: 1280, height: 800 });
    await by(page, "rail-settings").click();
    await by(page, "settings-look").click();
    const size = () =>
      page
        .locator(".settings-nav svg")
        .first()
        .evaluate((svg) => svg.getBoundingClientRect().width);
    expect(await size()).toBeCloseTo(16, 0);
    await page.locator('[data-testid="text-size"] [data-value="200"]').click();
    await page.waitForFunction(() => document.documentElement.style.fontSize === "32px");
    expect(await size()).toBeCloseTo(32, 0);
    await page.close();
  });
});
