// The ways to a plan or a run: each asks the engine, then goes to the screen that shows the answer.
import type { RunRow } from "../ipc/bindings";
import { host } from "../ipc/host";
import { showDraft } from "./draft";
import { attempt } from "./notices";
import { go } from "./route";
import { clearSelection } from "./selection";

export async function newPlan(): Promise<void> {
  const view = await attempt(() => host().newPlan());
  if (!view) return;
  clearSelection();
  showDraft(view);
  go({ screen: "plan", run: view.run });
}

export async function openPlan(path: string, screen: "plan" | "approve" = "plan"): Promise<void> {
  const view = await attempt(() => host().openPlan(path));
  if (!view) return;
  clearSelection();
  showDraft(view);
  go({ screen, run: view.run });
}

/** Opens a plan and goes on to where it is signed. */
export async function openToApprove(path: string): Promise<void> {
  const view = await attempt(() => host().openPlan(path));
  if (!view) return;
  clearSelection();
  showDraft(view);
  go({ screen: "approve", run: view.run });
}

export async function openPlanFile(): Promise<void> {
  const path = await attempt(() => host().choosePlanFile());
  if (path) await openPlan(path);
}

export async function editCopy(run: string): Promise<void> {
  const view = await attempt(() => host().draftFromRun(run));
  if (!view) return;
  clearSelection();
  showDraft(view);
  go({ screen: "plan", run: view.run });
}

export function openRow(row: RunRow): void {
  clearSelection();
  go({ screen: row.status === "AWAITING_APPROVAL" ? "plan" : "run", run: row.run });
}

/** From a notification: to the very decision that it told of, else to the run. */
export async function openNamed(run: string, decision: string | null): Promise<void> {
  if (decision) go({ screen: "waiting", decision: `${run}/${decision}` });
  else await openRun(run);
}

/** By its id alone: to its plan while it is a draft, else to the run. One that is gone says so, and nobody is led astray. */
export async function openRun(run: string): Promise<void> {
  const rows = await attempt(() => host().listRuns());
  const row = rows?.find((row) => row.run === run);
  if (row) return openRow(row);
  // Lists show the newest; an older one is there all the same.
  const view = rows && (await attempt(() => host().draft(run)));
  if (view) go({ screen: view.isDraft ? "plan" : "run", run });
}
