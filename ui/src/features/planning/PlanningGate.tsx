// Before the plan there is its planning: while it goes on it has the screen, afterwards a line over the editor. It must not
// know the editor; the app hands that in.
import { type ReactNode, useEffect } from "react";
import { Skeleton } from "../../components/controls/panel";
import { openDraft } from "../../state/draft";
import { phaseOf, useDriven, usePlanning, watchPlanning } from "../../state/planning";
import { PlannedLine } from "./PlannedLine";
import { PlanningLive } from "./PlanningLive";

export function PlanningGate({ run, children }: { run: string; children: ReactNode }) {
  useEffect(() => watchPlanning(run), [run]);
  const state = usePlanning();
  const since = useDriven((s) => s.since[run]);
  const isByHand = useDriven((s) => s.byHand[run] === true);
  const phase = state.run === run ? phaseOf(state, since !== undefined, isByHand) : "none";
  const isStarting = phase === "none" && since !== undefined;
  const isLive = phase !== "none" && phase !== "over";
  // The title bar names the plan, also before it is there.
  useEffect(() => {
    if (isLive) void openDraft(run);
  }, [run, isLive]);
  return (
    <div className="planned">
      {phase === "over" && state.view ? <PlannedLine run={run} view={state.view} row={state.row} /> : null}
      {isStarting ? <Skeleton rows={6} /> : null}
      {isLive && state.view ? (
        <PlanningLive run={run} phase={phase} view={state.view} since={since ?? state.row?.startedAt ?? null} />
      ) : null}
      {isLive || isStarting ? null : children}
    </div>
  );
}
