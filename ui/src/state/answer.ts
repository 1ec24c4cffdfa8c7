// A planner's answer while it grows: kept outside of React, so that a flood of text draws nothing but itself.
import type { PlanningView } from "../ipc/bindings";
import { host } from "../ipc/host";

/** So much of an answer is kept; the tasks at its beginning are drawn from it. */
const MOST = 512 * 1024;
const texts = new Map<string, string>();
const listeners = new Map<string, Set<(text: string) => void>>();

/** Tells what is there now and whatever it becomes, until the answer is called. */
export function onAnswer(run: string, listener: (text: string) => void): () => void {
  const all = listeners.get(run) ?? new Set();
  listeners.set(run, all.add(listener));
  listener(texts.get(run) ?? "");
  return () => all.delete(listener);
}

/** Listens to the host until the answer is called. Whatever fails here is only text that is not seen growing. */
export function watchAnswer(run: string, onView: (view: PlanningView) => void = () => undefined): () => void {
  let stop: (() => void) | null = null;
  let isGone = false;
  const tell = (text: string, goesOn: boolean) => {
    const all = (goesOn ? (texts.get(run) ?? "") : "") + text;
    texts.set(run, all.slice(-MOST));
    for (const listener of listeners.get(run) ?? []) listener(texts.get(run) ?? "");
  };
  host()
    .watchPlanning(run, tell, (view) => !isGone && onView(view))
    .then((end) => {
      if (isGone) end();
      else stop = end;
    })
    .catch(() => undefined);
  return () => {
    isGone = true;
    stop?.();
    texts.delete(run);
  };
}
