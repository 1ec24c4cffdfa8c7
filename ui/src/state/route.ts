// Which screen is shown. Kept in the address (`#/plan/RUN`), so that a reload comes back to the same place.
import { create } from "zustand";

export type Route =
  | { screen: "home" | "plans" | "runs" | "waiting" | "settings" }
  | { screen: "plan" | "approve" | "run" | "review"; run: string }
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
  const runs = "run" in route ? [route.run] : route.screen === "compare" ? [route.a, route.b] : [];
  const hash = `#/${[route.screen, ...runs.map(encodeURIComponent)].join("/")}`;
  if (window.location.hash !== hash) window.history.pushState(null, "", hash);
  useRoute.setState({ route });
}

export function readRoute(): Route {
  const [, screen, run, other] = (typeof window === "undefined" ? "" : window.location.hash).split("/");
  if (screen === "plans" || screen === "runs" || screen === "waiting" || screen === "settings") return { screen };
  if ((screen === "plan" || screen === "approve" || screen === "run" || screen === "review") && run)
    return { screen, run: decodeURIComponent(run) };
  if (screen === "compare" && run && other) return { screen, a: decodeURIComponent(run), b: decodeURIComponent(other) };
  return { screen: "home" };
}

if (typeof window !== "undefined") {
  const onAddress = () => useRoute.setState({ route: readRoute() });
  window.addEventListener("popstate", onAddress);
  window.addEventListener("hashchange", onAddress);
}
