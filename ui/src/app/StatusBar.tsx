// The line at the bottom: what drives the engine, and how safe it is to close.
import { Lock, Save } from "lucide-react";
import { host } from "../ipc/host";
import { useDraft } from "../state/draft";
import { useLooking } from "../state/looking";
import { useDriven, usePlanning } from "../state/planning";
import type { Route } from "../state/route";
import { useRun } from "../state/run";
import { t } from "../text";

export function StatusBar({ route }: { route: Route }) {
  const isLookedAt = useLooking((s) => s.isLookedAt);
  return (
    <footer className="status-bar" data-region="status">
      {isLookedAt ? (
        <span className="tone-retrying" data-testid="looked-at">
          <Lock className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />
          {t.shell.lookedAt}
        </span>
      ) : (
        <span>
          <i className="light" />
          {host().name === "demo" ? t.shell.demo : t.shell.engine}
        </span>
      )}
      {"run" in route ? <Place route={route} /> : null}
    </footer>
  );
}

function Place({ route }: { route: Extract<Route, { run: string }> }) {
  const draft = useDraft((s) => s.view);
  const isByHand = useDriven((s) => s.byHand[route.run] === true);
  const isPlanning = usePlanning(
    (s) => route.screen === "plan" && s.run === route.run && s.view?.state === "open" && !isByHand,
  );
  const status = useRun((s) => s.row?.status);
  if (route.screen === "run" || route.screen === "review" || route.screen === "replan") {
    const isOver = status === "SUCCEEDED" || status === "FAILED" || status === "CANCELLED";
    return <span className="right">{isOver ? t.shell.runOver : t.shell.runKept}</span>;
  }
  if (isPlanning) return <span className="right">{t.planning.allKept}</span>;
  if (!draft) return null;
  const Icon = draft.isDraft ? Save : Lock;
  return (
    <>
      <span className="right">
        <Icon className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />
        {draft.isDraft ? t.shell.draftKept : t.plan.readOnly}
      </span>
      <span data-testid="problem-count">{t.shell.problems(draft.problems.length)}</span>
    </>
  );
}
