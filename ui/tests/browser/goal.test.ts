// From a goal to an approved run, and the settings, in a real browser under the shipped policy; and axe on every state.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { browserPath, by, Served } from "./served";

let served: Served;

beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

const phase = (page: Page, name: string) => page.waitForSelector(`[data-testid="planning"][data-phase="${name}"]`);

async function plan(page: Page, goal: string): Promise<void> {
  await by(page, "goal").fill(goal);
  await by(page, "role-planner").waitFor();
  await page.keyboard.press("Control+Enter");
  await by(page, "planning").waitFor();
}

async function settings(page: Page, section: string): Promise<void> {
  await by(page, "rail-settings").click();
  await by(page, `settings-${section}`).click();
}

describe.skipIf(!browserPath)("from a goal", { timeout: 90_000 }, () => {
  it("goes by keyboard alone to a draft, through a question, and keeps how it came to be", async () => {
    const { page, wrongs } = await served.open();
    await by(page, "role-planner").waitFor();
    await by(page, "goal").focus();
    await page.keyboard.type("Which shops are cheaper?");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Write a report.");
    await page.keyboard.press("Control+Enter");
    await phase(page, "going");
    await phase(page, "asks");
    await page.locator('[data-testid="form/month"]').focus();
    await page.keyboard.type("2026-11");
    await page.keyboard.press("Control+Enter");
    await by(page, "planned-line").waitFor();
    await by(page, "task-save_report").waitFor();
    expect(await by(page, "planned-line").textContent()).toContain("Planned by claude-opus-5-5, $0.044, 3 calls");
    await by(page, "planning-details").focus();
    await page.keyboard.press("Enter");
    await by(page, "planner-call-1").locator("summary").focus();
    await page.keyboard.press("Enter");
    expect(await by(page, "planner-call-1").locator("pre").textContent()).toContain("question");
    expect(await by(page, "planning-goal").textContent()).toBe("Which shops are cheaper?\nWrite a report.");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  // Case canvas-03.
  it("takes no Enter that picks a word of an input method, in either browser's way of telling", async () => {
    const { page } = await served.open();
    await by(page, "goal").fill("比較");
    await by(page, "role-planner").waitFor();
    for (const mark of [{ isComposing: true }, { keyCode: 229 }]) {
      await by(page, "goal").dispatchEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, ...mark });
    }
    await page.waitForTimeout(300);
    expect(await by(page, "planning").count()).toBe(0);
    expect(await by(page, "goal").inputValue()).toBe("比較");
    await page.close();
  });

  it("keeps a goal over a reload, with its tools, cap and files", async () => {
    const { page } = await served.open();
    await by(page, "goal").fill("Compare prices");
    await by(page, "attach").click();
    await by(page, "attach-files").click();
    await by(page, "goal-cap").click();
    await by(page, "goal-cap-field").fill("0.25");
    await page.keyboard.press("Escape");
    await by(page, "goal-tools").click();
    await page.locator('[data-testid="goal-tools-panel"] label', { hasText: "http.request" }).click();
    await page.keyboard.press("Escape");
    await page.reload();
    await by(page, "attached-skus.csv").waitFor();
    expect(await by(page, "goal").inputValue()).toBe("Compare prices");
    expect(await by(page, "goal-cap").textContent()).toContain("$0.25");
    expect(await by(page, "goal-tools").textContent()).toContain("14 tools 4 can write");
    await page.close();
  });

  it("is left and gone on with; after a failure it is tried again or drawn by hand", async () => {
    const { page, wrongs } = await served.open();
    await plan(page, "fail at this");
    await by(page, "leave-planning").click();
    await phase(page, "left");
    await by(page, "plan-on").click();
    await phase(page, "failed");
    expect(await by(page, "planning-error").textContent()).toContain("credit");
    await by(page, "edit-by-hand").click();
    await page.waitForSelector('[data-testid="canvas"][data-ready="true"]');
    await by(page, "plan-on").click();
    await phase(page, "failed");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("leads without any model to a finished sample run in two clicks", async () => {
    const { page, wrongs } = await served.open({ path: "/?models=none" });
    await by(page, "run-sample").click();
    await by(page, "approve").click();
    await page.waitForSelector('[data-testid="run"][data-status="SUCCEEDED"]');
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("keeps a key without ever showing it, and forgets it only when told twice", async () => {
    const { page, wrongs } = await served.open();
    await settings(page, "models");
    await by(page, "set-key-team").click();
    await by(page, "key-field").fill("not a key");
    await page.keyboard.press("Enter");
    await page.locator('[data-testid="key-dialog"] .fault').waitFor();
    expect(await by(page, "key-field").inputValue()).toBe("");
    await by(page, "key-field").fill("sk-canary-0123");
    await by(page, "keep-key").click();
    await by(page, "forget-key-team").waitFor();
    expect(await by(page, "key-team").textContent()).toContain("key in keychain");
    expect(await page.content()).not.toContain("sk-canary");
    await by(page, "forget-key-team").click();
    await page.keyboard.press("Enter");
    await by(page, "forget-key-team").click();
    await by(page, "forget-now").click();
    await by(page, "forget-key-team").waitFor({ state: "detached" });
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("sets a role from Home for good, with who stands in for it", async () => {
    const { page } = await served.open();
    await by(page, "role-planner").click();
    await page.locator('[data-value="ollama/qwen3:8b"]').click();
    const sent = () => by(page, "sent").textContent();
    await expect
      .poll(sent)
      .toContain("asks qwen3:8b on this machine; if that is down, it sends your goal to gpt-6.1-sol");
    await settings(page, "models");
    expect(await by(page, "main-planner").textContent()).toContain("qwen3:8b");
    expect(await by(page, "stand-in-planner-1").textContent()).toContain("gpt-6.1-sol");
    await by(page, "stand-in-planner-1").click();
    await page.locator('[data-value=""]').click();
    await by(page, "rail-home").click();
    await expect.poll(sent).toContain("asks qwen3:8b on this machine: your goal stays here.");
    await settings(page, "models");
    await by(page, "usual-planner").click();
    await expect.poll(() => by(page, "main-planner").textContent()).toContain("claude-opus-5-5");
    await page.close();
  });

  const states: [string, string, (page: Page) => Promise<void>][] = [
    ["no model", "/?models=none", async (page) => by(page, "no-model").waitFor()],
    [
      "tools of a goal",
      "/",
      async (page) => {
        await by(page, "goal-tools").click();
        await by(page, "goal-tools-panel").waitFor();
      },
    ],
    ["planning", "/", async (page) => plan(page, "Compare prices")],
    [
      "a question",
      "/",
      async (page) => {
        await plan(page, "Which?");
        await phase(page, "asks");
      },
    ],
    [
      "a failure",
      "/",
      async (page) => {
        await plan(page, "fail");
        await phase(page, "failed");
      },
    ],
    [
      "how it was planned",
      "/",
      async (page) => {
        await plan(page, "Compare prices");
        await by(page, "planning-details").click();
        await by(page, "planner-call-1").locator("summary").click();
        await page.waitForTimeout(400);
      },
    ],
    ...["models", "tools", "keyboard", "look"].map((section): [string, string, (page: Page) => Promise<void>] => [
      `settings: ${section}`,
      "/",
      (page) => settings(page, section),
    ]),
  ];

  describe.each(["dark", "light"] as const)("passes axe, %s", (theme) => {
    it.each(states)("%s", async (_, path, go) => {
      const { page, wrongs } = await served.open({ theme, path, width: 1024, height: 700 });
      await by(page, "goal-tools").waitFor();
      await go(page);
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  });
});
