// The editor's gestures in a real browser under the shipped policy: menus, copies, edges, JSON, find and replace, and axe.
// @vitest-environment node
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { browserPath, by, drag, middle, openSample, Served } from "./served";

let served: Served;
beforeAll(async () => {
  if (browserPath) served = await Served.start();
}, 120_000);
afterAll(() => served?.stop());

const edge = (page: Page, id: string, state: "attached" | "detached" = "attached") =>
  page.waitForSelector(`[data-testid="edge-${id}"]`, { state });
const places = (page: Page) =>
  page
    .locator(".react-flow__node")
    .evaluateAll((all) =>
      Object.fromEntries(all.map((n) => [(n as HTMLElement).dataset.id, (n as HTMLElement).style.transform])),
    );
const pointOn = (page: Page, id: string) =>
  page.locator(`[data-testid="edge-${id}"] .grab`).evaluate((path) => {
    const line = path as SVGPathElement;
    const at = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM() as DOMMatrix);
    return { x: at.x, y: at.y };
  });

describe.skipIf(!browserPath)("the editor", { timeout: 90_000 }, () => {
  it("copies beside what is there and moves nothing else, all in one step of undo", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    const before = await places(page);
    await by(page, "task-margins").click({ button: "right" });
    await by(page, "act-duplicate").click();
    await by(page, "task-margins_2").waitFor();
    await edge(page, "normalise→margins_2");
    const after = await places(page);
    delete after.margins_2;
    expect(after).toEqual(before);
    await page.keyboard.press("Control+z");
    await by(page, "task-margins_2").waitFor({ state: "detached" });
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("puts a task into the edge that it is let go over, from the palette and from the canvas", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await drag(page, "palette-code", await pointOn(page, "write_report→save_report"));
    await edge(page, "write_report→code");
    await edge(page, "code→save_report");
    await edge(page, "write_report→save_report", "detached");

    const canvas = await by(page, "canvas").boundingBox();
    await drag(page, "palette-agent", { x: canvas!.x + 170, y: canvas!.y + canvas!.height - 170 });
    await by(page, "task-agent").waitFor();
    await drag(page, "task-agent", await pointOn(page, "margins→check_outliers"));
    await edge(page, "margins→agent");
    await edge(page, "agent→check_outliers");
    await edge(page, "margins→check_outliers", "detached");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("offers tools where a wire is let go, and cuts and fills edges at their own buttons", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    const canvas = await by(page, "canvas").boundingBox();
    await drag(page, "out-save_report", { x: canvas!.x + 140, y: canvas!.y + canvas!.height - 150 });
    await by(page, "add-find").fill("echo");
    await page.keyboard.press("Enter");
    await edge(page, "save_report→echo");

    await page.mouse.click(...at(await pointOn(page, "margins→check_outliers")));
    await by(page, "edge-insert").click();
    await by(page, "add-code").click();
    await edge(page, "code→check_outliers");
    // Edges share a way here; a click on the line itself says which one is meant.
    await page.locator('[data-testid="edge-code→check_outliers"] .grab').dispatchEvent("click");
    await by(page, "edge-cut").click();
    await edge(page, "code→check_outliers", "detached");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("lines up, tidies and groups what is chosen, by the bar and by keys, and opens the subplan up again", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await by(page, "task-normalise").click();
    await by(page, "task-margins").click({ modifiers: ["Shift"] });
    await by(page, "bar-align-left").click();
    await expect
      .poll(async () => Math.abs((await middle(page, "task-normalise")).x - (await middle(page, "task-margins")).x))
      .toBeLessThan(2);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Control+g");
    await by(page, "task-subplan").waitFor();
    await by(page, "task-margins").waitFor({ state: "detached" });
    await page.keyboard.press("Control+Shift+G");
    await by(page, "task-margins").waitFor();
    await edge(page, "normalise→margins");
    await edge(page, "margins→check_outliers");
    await page.keyboard.press("Escape");
    await by(page, "task-check_outliers").click();
    await page.keyboard.press("d");
    await page.waitForSelector('[data-testid="task-check_outliers"][data-status="SKIPPED"]');
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("writes the plan as JSON in step with the canvas", async () => {
    const { page, wrongs } = await served.open();
    await by(page, "new-plan").click();
    await by(page, "canvas").waitFor();
    await page.keyboard.press("Shift+J");
    await page.locator(".json-box .cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type('\n"bud');
    await page.locator(".cm-tooltip-autocomplete").waitFor();
    await page.waitForTimeout(120);
    await page.keyboard.press("Enter");
    await page.keyboard.type('"usd": 1.50');
    await page.keyboard.press("End");
    await page.keyboard.type(",");
    await page.locator(".json-fault").waitFor({ state: "detached" });
    await by(page, "canvas-toggle").click();
    await by(page, "canvas-flow").waitFor();
    await expect.poll(() => page.getByLabel("Dollars").inputValue()).toBe("1.50");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("finds and replaces over the plan, writes notes, and pastes plan text at the pointer", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    await page.keyboard.press("Control+f");
    await by(page, "find-text").fill("report");
    await by(page, "find-by").fill("summary");
    await by(page, "replace-all").click();
    await expect.poll(() => by(page, "task-write_report").textContent()).toContain("Write summary");
    await page.keyboard.press("Escape");

    const canvas = await by(page, "canvas").boundingBox();
    const spot = { x: canvas!.x + 150, y: canvas!.y + canvas!.height - 200 };
    await page.mouse.click(spot.x, spot.y, { button: "right" });
    await by(page, "act-note").click();
    await by(page, "note-field").fill("Ask Ada");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => by(page, "note-note_1").textContent()).toContain("Ask Ada");

    await page.mouse.move(spot.x + 60, spot.y - 90);
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData(
        "text/plain",
        '{"tasks":[{"id":"pasted","instruction":"Hello","task_type":"code","source":"return 1"}],"layout":{"positions":{"pasted":{"x":9000,"y":9000}}}}',
      );
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await by(page, "task-pasted").waitFor();
    const there = await middle(page, "task-pasted");
    expect(Math.abs(there.x - spot.x - 60)).toBeLessThan(12);
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("gives the focus back: menu, small palette, find; and to the view that a key changes to", async () => {
    const { page, wrongs } = await served.open();
    await openSample(page);
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid);
    await by(page, "canvas-flow").focus();
    await page.keyboard.press("Tab");
    for (const [open, shown] of [
      ["Shift+F10", "act-menu"],
      ["i", "add-menu"],
      ["Control+f", "find-panel"],
    ] as const) {
      await page.keyboard.press(open);
      await by(page, shown).waitFor();
      await page.keyboard.press("Escape");
      await by(page, shown).waitFor({ state: "detached" });
      await expect.poll(focused).toBe("canvas-flow");
    }
    await page.keyboard.press("l");
    await expect.poll(focused).toMatch(/^row-/);
    await page.keyboard.press("l");
    await expect.poll(focused).toBe("canvas-flow");
    expect(wrongs).toEqual([]);
    await page.close();
  });

  it("asks which output a connection carries where several could be meant", async () => {
    const { page } = await served.open();
    await openSample(page);
    await by(page, "task-check_outliers").click();
    await page.keyboard.press("c");
    await by(page, "map-picker").waitFor();
    await by(page, "map-0").click();
    await expect.poll(() => by(page, "inspector").textContent()).toContain("gives verdict");
    await page.close();
  });

  const screens: [string, (page: Page) => Promise<void>][] = [
    ["menu", async (page) => by(page, "task-margins").click({ button: "right" })],
    [
      "JSON",
      async (page) => {
        await page.keyboard.press("Shift+J");
        await page.locator(".json-box .cm-content").waitFor();
      },
    ],
    [
      "find and several chosen",
      async (page) => {
        await page.keyboard.press("Control+a");
        await page.keyboard.press("Control+f");
        await by(page, "find-text").fill("report");
      },
    ],
    ["plan fields opened", async (page) => page.getByLabel("More about floor").click()],
  ];
  describe.each(["dark", "light"] as const)("passes axe, %s", (theme) => {
    it.each(screens)("%s", async (_, go) => {
      const { page, wrongs } = await served.open({ theme, width: 1440, height: 900 });
      await openSample(page);
      await go(page);
      await page.waitForTimeout(300);
      expect(await violations(page)).toEqual([]);
      expect(wrongs).toEqual([]);
      await page.close();
    });
  });
});

function at({ x, y }: { x: number; y: number }): [number, number] {
  return [x, y];
}
