// What is cut off on a page: text that is wider than its place, and acts that lie outside of what can be scrolled to.
import type { Page } from "playwright-core";

/** Buttons and labels whose text is wider than they are, but for names from the plan: they may end in an ellipsis. */
export const cut = (page: Page) =>
  page.locator("button, h2, h3, label").evaluateAll((all) =>
    all
      .filter(
        (e) => (e as HTMLElement).offsetParent && e.scrollWidth > e.clientWidth + 1 && !e.matches(".el, .el *, .tag"),
      )
      .filter((e) => getComputedStyle(e).textOverflow !== "ellipsis")
      .filter((e) => getComputedStyle(e).display !== "inline" && e.textContent?.trim())
      .map((e) => e.textContent),
  );

/** Buttons, fields and headings of a place that nobody can see whole, or only under something else, however they scroll. */
export const unreachable = (page: Page, within: string) =>
  page.locator(`${within} :is(button, input, textarea, h2, h3)`).evaluateAll((all) =>
    all.flatMap((e) => {
      if (!(e as HTMLElement).offsetParent || e.closest(".vh, [aria-hidden=true]")) return [];
      e.scrollIntoView({ block: "center", inline: "center" });
      const box = e.getBoundingClientRect();
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const isCovered = !hit || !(e.contains(hit) || hit.contains(e) || e.closest("label")?.contains(hit));
      const isOut = box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1;
      return (isOut || isCovered) && box.height < innerHeight
        ? [`${e.tagName} ${e.textContent || e.getAttribute("aria-label")}`]
        : [];
    }),
  );

/** As if the person's system asked for twice the text. */
export async function doubled(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "32px";
  });
  await page.waitForTimeout(200);
}
