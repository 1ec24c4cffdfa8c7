// The rail at the left: the five places, with the number of open decisions.
import { Hand, History, House, type LucideIcon, Settings, Workflow } from "lucide-react";
import { useLists } from "../state/lists";
import { go, type Route } from "../state/route";
import { t } from "../text";

type Place = "home" | "plans" | "runs" | "waiting" | "settings";

const ICONS: Record<Place, LucideIcon> = {
  home: House,
  plans: Workflow,
  runs: History,
  waiting: Hand,
  settings: Settings,
};

/** The place that a screen belongs to. */
export function placeOf(route: Route): Place {
  if (route.screen === "plan" || route.screen === "approve") return "plans";
  if (route.screen === "run" || route.screen === "review" || route.screen === "compare" || route.screen === "replan")
    return "runs";
  return route.screen;
}

export function Rail({ route }: { route: Route }) {
  const open = useLists((s) => s.inbox?.length ?? 0);
  const here = placeOf(route);
  return (
    <nav className="rail" aria-label={t.shell.screensLabel} data-region="rail">
      {(["home", "plans", "runs", "waiting"] as const).map((place) => (
        <RailButton key={place} place={place} isHere={here === place} count={place === "waiting" ? open : 0} />
      ))}
      <span className="space" />
      <RailButton place="settings" isHere={here === "settings"} count={0} />
    </nav>
  );
}

function RailButton({ place, isHere, count }: { place: Place; isHere: boolean; count: number }) {
  const Icon = ICONS[place];
  return (
    <button
      type="button"
      aria-current={isHere ? "page" : undefined}
      onClick={() => go({ screen: place })}
      data-testid={`rail-${place}`}
    >
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
      {t.shell.screens[place]}
      {count > 0 ? (
        <>
          <span className="vh">{t.shell.decisions(count)}</span>
          <span className="count num" aria-hidden="true">
            {count > 99 ? "99" : count}
          </span>
        </>
      ) : null}
    </button>
  );
}
