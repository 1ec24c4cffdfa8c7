// A change that the planner is asked for, by keyboard and by mouse, in a real browser under the shipped policy; servers of
// tools in the settings; and axe on every state.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { browserPath, by, openSample, Served } from "./served";

let served: Served;

beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

async function wish(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Shift+C");
  await by(page, "wish").waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Control+Enter");
}

describe.skipIf(!browserPath)("a change that the planner is asked for", { timeout: 90_000 }, () => {
  it("is asked for, looked through and taken by keyboard alone, and undone", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await wish(page, "Check the prices first");
    await by(page, "asking").waitFor();
    await page.waitForFunction(
      () => (document.querySelector('[data-testid="change-growing"]')?.textContent?.length ?? 0) > 200,
    );
    // Tasks are named as they come; the words of the answer are a click away.
    await page.waitForFunction(() =>
      document.querySelector('[data-testid="change-named"]')?.textContent?.includes("named so far"),
    );
    expect(await by(page, "change-growing").isVisible()).toBe(false);
    // However much comes, it is one text node, and no longer than one can look at.
    expect(await by(page, "change-growing").evaluate((pre) => pre.childNodes.length)).toBe(1);
    await by(page, "proposal-bar").waitFor();
    expect(await by(page, "task-check_prices").getAttribute("aria-label")).toContain("would be added");
    expect(await page.locator(".change-tab").allTextContents()).toEqual(
      expect.arrayContaining(["Added", "Removed", "Changed"]),
    );
    await page.keyboard.press("]");
    await page.waitForSelector('[data-testid="piece-remove:save_report"][aria-current="true"]');
    await page.keyboard.press("x");
    await page.waitForSelector('[data-testid="piece-remove:save_report"][data-standing="dropped"]');
    await page.keyboard.press("Control+Enter");
    await by(page, "proposal-bar").waitFor({ state: "detached" });
    await page.waitForSelector('[data-testid="task-check_prices"]:not(:has(.change-tab))');
    expect(await by(page, "task-save_report").count()).toBe(1);
    await page.keyboard.press("Control+z");
    await by(page, "proposal-bar").waitFor();
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("is taken piece by piece by mouse, from the panel and from the bar", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "wish-open").click();
    await by(page, "wish-text").fill("Check the prices first");
    await by(page, "ask-change").click();
    await by(page, "proposal-bar").waitFor();
    await by(page, "take-change:normalise").click();
    await page.waitForSelector('[data-testid="piece-add:check_prices"][data-standing="taken"]');
    await by(page, "leave-all").click();
    await by(page, "proposal-bar").waitFor({ state: "detached" });
    expect(await by(page, "task-save_report").count()).toBe(1);
    await page.close();
  });

  it("is stopped, fails and changes nothing, and keeps the words", async () => {
    const { page } = await served.open();
    await openSample(page);
    await wish(page, "Stop me");
    await by(page, "stop-change").click();
    await by(page, "asking").waitFor({ state: "detached" });
    await page.keyboard.press("Shift+C");
    expect(await by(page, "wish-text").inputValue()).toBe("Stop me");
    await by(page, "wish-text").fill("fail at it");
    await page.keyboard.press("Control+Enter");
    expect(await by(page, "change-error").textContent()).toContain("The plan is as it was");
    expect(await violations(page)).toEqual([]);
    await by(page, "ask-again").click();
    expect(await by(page, "wish-text").inputValue()).toBe("fail at it");
    await page.close();
  });

  it("has no violation in any state, in either theme", async () => {
    for (const theme of ["dark", "light"] as const) {
      const { page } = await served.open({ theme });
      await openSample(page);
      await page.keyboard.press("Shift+C");
      await by(page, "wish").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.type("Check the prices first");
      await page.keyboard.press("Control+Enter");
      await by(page, "asking").waitFor();
      expect(await violations(page)).toEqual([]);
      await by(page, "proposal-bar").waitFor();
      await page.keyboard.press("]");
      expect(await violations(page)).toEqual([]);
      await page.close();
    }
  });
});

describe.skipIf(!browserPath)("servers of tools", { timeout: 90_000 }, () => {
  it("are added by form, checked after their command line was shown, and removed", async () => {
    const { page, wrongs } = await served.open();
    await by(page, "rail-settings").click();
    await by(page, "settings-servers").click();
    await by(page, "add-server").click();
    await by(page, "server-name").fill("tickets");
    await by(page, "server-command").fill('npx -y "@acme/my tickets"');
    await by(page, "server-unconfined").click();
    expect(await violations(page)).toEqual([]);
    await by(page, "server-keep").click();
    await by(page, "server-tickets").waitFor();
    expect(await by(page, "server-tickets").textContent()).toContain("no sandbox");
    await by(page, "check-tickets").click();
    expect(await by(page, "check-dialog").textContent()).toContain("npx -y @acme/my tickets");
    await by(page, "check-now").click();
    await page.waitForSelector('[data-testid="server-tickets"][data-state="installing"]');
    await by(page, "server-tools-tickets").click();
    expect(await by(page, "server-tool-tickets/post").textContent()).toContain("sends out");
    expect(await violations(page)).toEqual([]);
    await by(page, "remove-tickets").click();
    await by(page, "remove-now").click();
    await by(page, "server-tickets").waitFor({ state: "detached" });
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("are taken over from another program's file only after a look", async () => {
    const { page } = await served.open({ theme: "light" });
    await by(page, "rail-settings").click();
    await by(page, "settings-servers").click();
    await by(page, "import-servers").click();
    await by(page, "import-file").click();
    await by(page, "import-look").click();
    expect(await by(page, "import-found").textContent()).toContain("npx -y @acme/tickets");
    expect(await violations(page)).toEqual([]);
    await by(page, "import-now").click();
    await by(page, "server-tickets").waitFor();
    await page.close();
  });
});
