// A key works from the moment in which what it is for is to be seen.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { useKeys } from "./keys";

function Asked({ onPress }: { onPress: () => void }) {
  useKeys({ x: onPress }, "approve");
  return createElement("p", null, "x switches it off");
}

const world = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean | undefined };
let before: boolean | undefined;

// As in the window: nothing waits for what React does after it has drawn.
beforeEach(() => {
  before = world.IS_REACT_ACT_ENVIRONMENT;
  world.IS_REACT_ACT_ENVIRONMENT = false;
});
afterEach(() => {
  world.IS_REACT_ACT_ENVIRONMENT = before;
});

it("hears a key that is pressed as soon as the page shows it", async () => {
  let presses = 0;
  const place = document.createElement("div");
  document.body.append(place);
  const seen = new Promise<void>((resolve) => {
    new MutationObserver(() => {
      if (place.textContent === "") return;
      window.dispatchEvent(new KeyboardEvent("keydown", { key: "x" }));
      resolve();
    }).observe(place, { childList: true, subtree: true });
  });
  const root = createRoot(place);
  root.render(createElement(Asked, { onPress: () => (presses += 1) }));
  await seen;
  root.unmount();
  place.remove();
  expect(presses).toBe(1);
});
