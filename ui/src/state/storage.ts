// What is stored and how much goes on at once, as last read; and the acts on it. What they bring is told as a notice.
import { create } from "zustand";
import type { LimitsForm, LimitsView, StorageView } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { t } from "../text";
import { bytes } from "../text/format";
import { attempt, notify } from "./notices";

type State = {
  view: StorageView | null;
  limits: LimitsView | null;
  fault: string | null;
  /** Which of the long acts is under way. */
  busy: "backup" | "tidy" | null;
};

export const useStorage = create<State>(() => ({ view: null, limits: null, fault: null, busy: null }));

export async function readStorage(): Promise<void> {
  try {
    const [view, limits] = await Promise.all([host().storage(), host().limits()]);
    useStorage.setState({ view, limits, fault: null });
  } catch (thrown) {
    useStorage.setState({ fault: asFault(thrown).message });
  }
}

async function long(what: "backup" | "tidy", act: () => Promise<void>): Promise<void> {
  if (useStorage.getState().busy) return;
  useStorage.setState({ busy: what });
  await attempt(act);
  useStorage.setState({ busy: null });
  await readStorage();
}

/** The day is in the name, so that an older copy is not written over by habit. */
export async function backUp(today: string): Promise<void> {
  const path = await attempt(() => host().chooseBackupFile(`planloom-${today}.db`));
  if (!path) return;
  await long("backup", async () => {
    const done = await host().backup(path);
    notify(t.storage.backedUp(done.file, bytes(done.bytes)), { tone: "done" });
  });
}

export async function tidyUp(): Promise<void> {
  await long("tidy", async () => {
    const freed = await host().tidyUp();
    const text = freed.heldBy
      ? t.storage.tidiedHeld(freed.heldBy, bytes(freed.free))
      : t.storage.tidied(bytes(freed.bytes), freed.values);
    notify(text, { tone: "done" });
  });
}

/** Null, or why it was not kept. */
export async function keepLimits(form: LimitsForm): Promise<string | null> {
  try {
    useStorage.setState({ limits: await host().keepLimits(form) });
    return null;
  } catch (thrown) {
    return asFault(thrown).message;
  }
}

export async function keepSync(everything: boolean): Promise<void> {
  const limits = await attempt(() => host().keepSync(everything));
  if (limits) useStorage.setState({ limits });
}
