// What a person sets in a real browser under the shipped policy: the language at once and everywhere, keys of one's own, and
// the events of a run folded away by key.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { cut } from "./cut";
import { browserPath, by, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

async function section(page: Page, name: string): Promise<void> {
  await by(page, "rail-settings").click();
  await by(page, `settings-${name}`).click();
}

describe.skipIf(!browserPath)("settings", { timeout: 90_000 }, () => {
  it("speak German at once, everywhere, and cut nothing off in the smallest window", async () => {
    const { page, wrongs } = await served.open({ width: 1024, height: 700 });
    await section(page, "look");
    await page.locator('[data-testid="language"] [data-value="de"]').click();
    await page.waitForFunction(() => document.documentElement.lang === "de");
    expect(await by(page, "rail-home").textContent()).toBe("Start");
    expect(await violations(page)).toEqual([]);
    for (const name of ["models", "tools", "servers", "storage", "keyboard", "look"]) {
      await section(page, name);
      expect(await cut(page), name).toEqual([]);
    }
    await by(page, "rail-home").click();
    await openSample(page);
    expect(await by(page, "to-approve").textContent()).toContain("Zur Freigabe");
    expect(await cut(page)).toEqual([]);
    await page.keyboard.press("Control+2");
    await by(page, "screen-approve").waitFor();
    expect(await cut(page)).toEqual([]);
    await by(page, "flow-ask").check();
    await page.keyboard.press("Control+Enter");
    await by(page, "run").waitFor();
    expect(await cut(page)).toEqual([]);
    await section(page, "look");
    await page.locator('[data-testid="language"] [data-value="en"]').click();
    expect(await by(page, "rail-home").textContent()).toBe("Home");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("take a key of one's own, refuse one that is taken, and print what holds", async () => {
    const { page, wrongs } = await served.open();
    await section(page, "keyboard");
    await by(page, "key-plan-l").click();
    await page.keyboard.press("Control+k");
    await page.getByText("Ctrl K is taken: Search and commands.", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("u");
    expect(await by(page, "key-plan-l").textContent()).toBe("U");
    await by(page, "rail-home").click();
    await openSample(page);
    await page.keyboard.press("l");
    expect(await by(page, "list-view").count()).toBe(0);
    await page.keyboard.press("u");
    await by(page, "list-view").waitFor();
    await section(page, "keyboard");
    await by(page, "reset-keys").click();
    expect(await by(page, "key-plan-l").textContent()).toBe("L");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("fold the events of a run away and bring them back by Ctrl J", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await page.keyboard.press("Control+2");
    await by(page, "flow-ask").check();
    await page.keyboard.press("Control+Enter");
    await by(page, "events").waitFor();
    await page.keyboard.press("Control+j");
    await by(page, "events").waitFor({ state: "detached" });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Control+j");
    await by(page, "events").waitFor();
    expect(wrongs).toEqual([]);
    await page.close();
  });
});
