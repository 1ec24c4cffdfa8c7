// Answers a decision, once. The engine says no to a second answer; then the lists are read anew.
import type { DecisionView, RunRow } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { readInbox } from "./lists";
import { planOn } from "./planning";
import { goOn as askOn } from "./proposal";

/** `given` is JSON text. Answers null, or what went wrong in words. */
export async function answer(decision: DecisionView, given: string): Promise<string | null> {
  try {
    await host().decide(decision.run, decision.id, given);
    await goOn(decision.run);
    return null;
  } catch (thrown) {
    return asFault(thrown).message;
  } finally {
    void readInbox();
  }
}

/** An answer starts nothing by itself: a run that nobody drives, as after a restart, is taken up again here. */
async function goOn(run: string): Promise<void> {
  const row = (await host().listRuns()).find((r) => r.run === run);
  if (row && isLeft(row)) await host().resumeRun(run);
  // What a planner asked: with the answer it plans on, and tells when it is done.
  if (row?.status === "AWAITING_APPROVAL") {
    if ((await host().planning(run))?.state === "open") void planOn(run);
    // A change of the plan that is asked for may have asked too.
    else if ((await host().proposal(run))?.state === "open") void askOn(run);
  }
}

/** Neither over nor paused, and yet nobody drives it: the app was closed or killed meanwhile. */
export function isLeft(row: Pick<RunRow, "status" | "owner">): boolean {
  return row.owner === null && (row.status === "RUNNING" || row.status === "WAITING" || row.status === "BLOCKED");
}
