// Where notices stand: at the foot of the canvas, beside nothing that can be pressed; on every other screen in a row of their
// own, so that they cover nothing.
import { useEffect, useState } from "react";

export type NoticePlace = { left: number; bottom: number; maxWidth: number };

/** What stands at the foot of a canvas already, its tools among it where there is little room. */
const FOOT = ".canvas > .tool-group, .title-block, .selection-bar, .legend, .diff-legend, .proposal-dock";
/** A canvas under this has no room for them. */
const LEAST_WIDTH = 320;
const LEAST_HEIGHT = 240;
const WIDEST = 440;
const GAP = 12;
const LOOK_MS = 300;

/** Null: in their own row. Looked at anew while there are any, as panels open and fold meanwhile. */
export function useNoticePlace(hasAny: boolean): NoticePlace | null {
  const [place, setPlace] = useState<NoticePlace | null>(null);
  useEffect(() => {
    if (!hasAny) return;
    const look = () => setPlace((now) => same(now, placeNow(document)));
    look();
    const timer = window.setInterval(look, LOOK_MS);
    window.addEventListener("resize", look);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("resize", look);
    };
  }, [hasAny]);
  return hasAny ? place : null;
}

function same(now: NoticePlace | null, next: NoticePlace | null): NoticePlace | null {
  return JSON.stringify(now) === JSON.stringify(next) ? now : next;
}

function placeNow(page: Document): NoticePlace | null {
  const canvas = page.querySelector(".bench:not(.stacked) .work .canvas");
  if (!canvas) return null;
  const box = canvas.getBoundingClientRect();
  // A panel that lies over the canvas takes room from it.
  const over = page.querySelector(".panel.over.right")?.getBoundingClientRect();
  const right = Math.min(box.right, over?.left ?? box.right);
  const overLeft = page.querySelector(".panel.over.left")?.getBoundingClientRect();
  const left = Math.max(box.left, overLeft?.right ?? box.left);
  if (right - left < LEAST_WIDTH || box.height < LEAST_HEIGHT) return null;
  const width = Math.min(WIDEST, right - left - 2 * GAP);
  let top = box.bottom;
  for (const foot of page.querySelectorAll(FOOT)) {
    const taken = foot.getBoundingClientRect();
    const isBelow =
      taken.height > 0 &&
      taken.left < left + GAP + width &&
      taken.right > left &&
      taken.bottom > box.top + box.height / 2;
    if (isBelow) top = Math.min(top, taken.top);
  }
  return { left: left + GAP, bottom: window.innerHeight - top + GAP, maxWidth: width };
}
