// Keys that work everywhere.
import { useKeys } from "../components/controls/keys";
import { newPlan, openPlanFile } from "../state/open";
import { go, useRoute } from "../state/route";

export function useAppKeys(setOverlay: (overlay: "find" | "keys") => void): void {
  useKeys({
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
  });
}

/** Only stages that can be reached have a button. */
function stage(name: "plan" | "approve" | "run"): boolean {
  const { route } = useRoute.getState();
  if (!("run" in route) || !document.querySelector(`[data-testid="stage-${name}"]`)) return false;
  go({ screen: name, run: route.run });
  return true;
}

/** What a region is there for has the focus first: the plan itself before the tools over it. */
const FIRST = '[role="application"][tabindex="0"], [role="treegrid"] tr[tabindex="0"]';
const ANY = 'button:not(:disabled):not([tabindex="-1"]), [tabindex="0"], input, textarea';

function moveRegion(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  // A region of regions is none that one could be in.
  const regions = all.filter((r) => !r.querySelector("[data-region]"));
  const here = regions.findIndex((r) => r.contains(document.activeElement));
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(here + by * step + regions.length * 2) % regions.length];
    const target = region?.querySelector<HTMLElement>(FIRST) ?? region?.querySelector<HTMLElement>(ANY);
    if (target && !regions[here]?.contains(target)) {
      target.focus();
      return;
    }
  }
}
