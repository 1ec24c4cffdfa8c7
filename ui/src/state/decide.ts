// Answers a decision, once. The engine says no to a second answer; then the lists are read anew.
import type { DecisionView, MisfitView, RunRow } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { readInbox, useLists } from "./lists";
import { planOn } from "./planning";
import { goOn as askOn } from "./proposal";

/** By `RUN/ID`, as addresses and lists know it. */
export const keyOfDecision = (decision: Pick<DecisionView, "run" | "id">) => `${decision.run}/${decision.id}`;

/** Those that were answered here, so that nobody is told that they were answered elsewhere. */
const own = new Set<string>();

export const isOwnAnswer = (key: string) => own.has(key);

/** `given` is JSON text. Answers null, or what went wrong in words. */
export async function answer(decision: DecisionView, given: string): Promise<string | null> {
  own.add(keyOfDecision(decision));
  try {
    await host().decide(decision.run, decision.id, given);
    // Answered is answered: it is off the list before that is read anew.
    const left = useLists.getState().inbox?.filter((one) => keyOfDecision(one) !== keyOfDecision(decision)) ?? null;
    useLists.setState({ inbox: left });
    await goOnAfterAnswer(decision.run);
    return null;
  } catch (thrown) {
    own.delete(keyOfDecision(decision));
    return asFault(thrown).message;
  } finally {
    void readInbox();
  }
}

/** What does not fit the form, field by field. Where nobody can say, the answer itself will. */
export async function misfitsOf(decision: DecisionView, given: string): Promise<MisfitView[]> {
  try {
    return await host().checkAnswer(decision.run, decision.id, given);
  } catch {
    return [];
  }
}

/** An answer starts nothing by itself: a run that nobody drives, as after a restart, is taken up again here. */
export async function goOnAfterAnswer(run: string): Promise<void> {
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
