// Renaming and deleting plans and runs: which is being renamed, and what would go with those that a person wants gone.
import { create } from "zustand";
import type { RunRow, WhatGoes } from "../ipc/bindings";
import { host } from "../ipc/host";
import { t } from "../text";
import { rereadPage } from "./finding";
import { readHome, readInbox, readRuns } from "./lists";
import { attempt, notify } from "./notices";

/** `name` where it is about one. */
export type Leaving = { runs: readonly string[]; name: string | null; goes: WhatGoes };

type State = { renaming: string | null; leaving: Leaving | null; isBusy: boolean };

export const useKeeping = create<State>(() => ({ renaming: null, leaving: null, isBusy: false }));

const readLists = () => Promise.all([readHome(), readRuns(), readInbox(), rereadPage()]);

export function beginRename(run: string): void {
  useKeeping.setState({ renaming: run });
}

export function endRename(): void {
  useKeeping.setState({ renaming: null });
}

/** False: it was not kept, and the notice says why. */
export async function rename(run: string, name: string | null): Promise<boolean> {
  const done = await attempt(async () => {
    await host().renameRun(run, name);
    return true;
  });
  if (done) await readLists();
  return done === true;
}

/** Looks at what would go, and asks. */
export async function askDelete(row: Pick<RunRow, "run" | "title">): Promise<void> {
  const goes = await attempt(() => host().whatGoes([row.run]));
  if (goes) useKeeping.setState({ leaving: { runs: [row.run], name: row.title, goes } });
}

/** The same for several that were chosen. */
export async function askDeleteThese(runs: readonly string[]): Promise<void> {
  const goes = await attempt(() => host().whatGoes([...runs]));
  if (goes) askDeleteAll(runs, goes);
}

export function askDeleteAll(runs: readonly string[], goes: WhatGoes): void {
  useKeeping.setState({ leaving: { runs, name: null, goes } });
}

export function keepThem(): void {
  if (!useKeeping.getState().isBusy) useKeeping.setState({ leaving: null });
}

export async function deleteThem(): Promise<void> {
  const { leaving, isBusy } = useKeeping.getState();
  if (!leaving || isBusy) return;
  useKeeping.setState({ isBusy: true });
  const gone = await attempt(() => host().deleteRuns([...leaving.runs]));
  useKeeping.setState({ isBusy: false, leaving: null });
  if (gone && gone.runs.length > 0) notify(t.keeping.done(gone.runs.length), { tone: "done" });
  const [first] = gone?.refused ?? [];
  if (gone && first) notify(t.keeping.notDone(gone.refused.length, first.why), { tone: "fault" });
  await readLists();
}
