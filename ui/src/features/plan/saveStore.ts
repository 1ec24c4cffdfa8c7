// Which revision is about to be saved under a name: the one that stands once everything typed has been taken in.
import { create } from "zustand";
import { settled, useDraft } from "../../state/draft";
import { readVersions, useVersions } from "../../state/versions";
import { timeOfDay } from "../../text/format";
import { language } from "../../text/language";

export type Saving = { run: string; revision: number; name: string };

export const useSaving = create<{ now: Saving | null }>(() => ({ now: null }));

export async function askSave(): Promise<void> {
  await settled();
  const { view } = useDraft.getState();
  if (!view || useSaving.getState().now) return;
  await readVersions(view.run);
  const known = useVersions.getState().revisions?.find((row) => row.revision === view.revision)?.name;
  useSaving.setState({ now: { run: view.run, revision: view.revision, name: known ?? nameNow(new Date()) } });
}

export function closeSave(): void {
  useSaving.setState({ now: null });
}

/** A name that is right without a word typed. */
function nameNow(now: Date): string {
  const locale = language() === "en" ? "en-GB" : language();
  const day = now.toLocaleDateString(locale, { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${timeOfDay(now.getTime()).slice(0, 5)}`;
}
