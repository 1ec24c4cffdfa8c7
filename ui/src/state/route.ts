// Which screen is shown. Kept in the address (`#/plan/RUN`), so that a reload comes back to the same place.
import { create } from "zustand";

export type Route =
  | { screen: "home" | "plans" | "runs" | "settings" }
  /** `decision` is the one to be looked at first, as `RUN/ID`. */
  | { screen: "waiting"; decision?: string }
  | { screen: "plan" | "approve" | "run" | "review"; run: string }
  /** Without an attempt: the newest. */
  | { screen: "replan"; run: string; attempt?: number }
  | { screen: "compare"; a: string; b: string };

export const useRoute = create<{ route: Route }>(() => ({ route: readRoute() }));

/** Work to finish before leaving a screen, such as text typed a moment ago. */
const leaving = new Set<() => void>();

export function beforeLeaving(finish: () => void): () => void {
  leaving.add(finish);
  return () => leaving.delete(finish);
}

export function go(route: Route): void {
  for (const finish of leaving) finish();
  const hash = addressOf(route);
  if (window.location.hash !== hash) window.history.pushState(null, "", hash);
  useRoute.setState({ route });
}

function addressOf(route: Route): string {
  const parts: string[] = [route.screen];
  if ("run" in route) parts.push(route.run);
  if (route.screen === "compare") parts.push(route.a, route.b);
  if (route.screen === "replan" && route.attempt !== undefined) parts.push(String(route.attempt));
  if (route.screen === "waiting" && route.decision) parts.push(...route.decision.split("/"));
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function readRoute(): Route {
  const hash = typeof window === "undefined" ? "" : window.location.hash;
  const [, screen, run, third] = hash.split("/");
  if (screen === "plans" || screen === "runs" || screen === "settings") return { screen };
  if (screen === "waiting")
    return run && third ? { screen, decision: `${decodeURIComponent(run)}/${decodeURIComponent(third)}` } : { screen };
  if (screen === "replan" && run) {
    const attempt = Number.parseInt(third ?? "", 10);
    return { screen, run: decodeURIComponent(run), ...(attempt > 0 ? { attempt } : {}) };
  }
  if ((screen === "plan" || screen === "approve" || screen === "run" || screen === "review") && run)
    return { screen, run: decodeURIComponent(run) };
  if (screen === "compare" && run && third) return { screen, a: decodeURIComponent(run), b: decodeURIComponent(third) };
  return { screen: "home" };
}

if (typeof window !== "undefined") {
  const onAddress = () => useRoute.setState({ route: readRoute() });
  window.addEventListener("popstate", onAddress);
  window.addEventListener("hashchange", onAddress);
}
