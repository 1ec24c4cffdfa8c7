// Keys that work everywhere.
import { useKeys } from "../components/controls/keys";
import { entryOf } from "../components/controls/work";
import { newPlan, openPlanFile } from "../state/open";
import { go, useRoute } from "../state/route";

export function useAppKeys(setOverlay: (overlay: "find" | "keys") => void): void {
  useKeys(
    {
      "ctrl+k": () => setOverlay("find"),
      "?": () => setOverlay("keys"),
      "ctrl+,": () => go({ screen: "settings" }),
      "g h": () => go({ screen: "home" }),
      "g p": () => go({ screen: "plans" }),
      "g r": () => go({ screen: "runs" }),
      "g w": () => go({ screen: "waiting" }),
      "ctrl+o": () => void openPlanFile(),
      n: () => void newPlan(),
      f6: () => moveRegion(1),
      "shift+f6": () => moveRegion(-1),
      "ctrl+1": () => stage("plan"),
      "ctrl+2": () => stage("approve"),
      "ctrl+3": () => stage("run"),
      "ctrl+4": () => stage("review"),
    },
    "anywhere",
  );
}

/** Only stages that can be reached have a button. */
function stage(name: "plan" | "approve" | "run" | "review"): boolean {
  const { route } = useRoute.getState();
  if (!("run" in route) || !document.querySelector(`[data-testid="stage-${name}"]`)) return false;
  go({ screen: name, run: route.run });
  return true;
}

/** Round the regions of the window; the screen itself is one only where it has none of its own. */
function moveRegion(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  const regions = all.filter((region) => !region.querySelector("[data-region]"));
  const here = regions.findIndex((region) => region.contains(document.activeElement));
  const from = here < 0 && by < 0 ? 0 : here;
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(from + by * step + regions.length * 2) % regions.length];
    const target = region ? entryOf(region) : null;
    if (!target || region?.contains(document.activeElement)) continue;
    target.focus();
    return;
  }
}
