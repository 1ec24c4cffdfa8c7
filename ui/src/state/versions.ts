// The versions of the open plan, and the two that are compared. The engine lists and compares; nothing is worked out here.
import { create } from "zustand";
import type { DraftView, PlanDiff, RevisionView } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { through } from "./draft";
import { notifyFault } from "./notices";

/** Two revisions side by side; `from` is the one that was chosen in the list, or the one before it. */
export type Compared = { from: number; to: number; before: DraftView; after: DraftView; diff: PlanDiff };

type State = {
  run: string | null;
  revisions: readonly RevisionView[] | null;
  leftOff: number;
  fault: Fault | null;
  /** The row that is chosen in the list. */
  chosen: number | null;
  compared: Compared | null;
};

const NOTHING = { revisions: null, leftOff: 0, fault: null, chosen: null, compared: null };

export const useVersions = create<State>(() => ({ run: null, ...NOTHING }));

/** Reads the list anew; what is compared stays. */
export async function readVersions(run: string): Promise<void> {
  if (useVersions.getState().run !== run) useVersions.setState({ run, ...NOTHING });
  try {
    const { revisions, leftOff } = await host().revisions(run);
    if (useVersions.getState().run === run) useVersions.setState({ revisions, leftOff, fault: null });
  } catch (thrown) {
    if (useVersions.getState().run === run) useVersions.setState({ fault: asFault(thrown) });
  }
}

let asked = 0;

/** Shows what differs from one revision to the other; the newest question wins. */
export async function compare(run: string, chosen: number, from: number, to: number): Promise<void> {
  const mine = ++asked;
  useVersions.setState({ chosen });
  try {
    const [before, after, diff] = await Promise.all([
      host().draftAt(run, from),
      host().draftAt(run, to),
      host().diff(run, from, to),
    ]);
    if (mine === asked && useVersions.getState().run === run)
      useVersions.setState({ compared: { from, to, before, after, diff } });
  } catch (thrown) {
    if (mine === asked) notifyFault(thrown);
  }
}

export function closeComparison(): void {
  asked++;
  useVersions.setState({ compared: null, chosen: null });
}

export async function nameVersion(run: string, revision: number, name: string | null): Promise<boolean> {
  try {
    await host().nameRevision(run, revision, name);
    await readVersions(run);
    return true;
  } catch (thrown) {
    notifyFault(thrown);
    return false;
  }
}

/** One more edit, which can be undone. */
export async function goBackTo(revision: number): Promise<boolean> {
  const view = await through((run) => host().restoreRevision(run, revision));
  if (view) closeComparison();
  return view !== null;
}
