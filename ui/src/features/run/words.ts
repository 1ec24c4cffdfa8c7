// The words of a task's model while they come: kept outside of React, and lost without harm.
import { host } from "../../ipc/host";

const MOST = 64 * 1024;

/** Tells all that is there of the newest answer, whenever it grows, until the answer is called. */
export function watchWords(run: string, task: string, listener: (text: string) => void): () => void {
  let stop: (() => void) | null = null;
  let isGone = false;
  let text = "";
  const tell = (more: string, goesOn: boolean) => {
    text = ((goesOn ? text : "") + more).slice(-MOST);
    if (!isGone) listener(text);
  };
  host()
    .watchWords(run, task, tell)
    .then((end) => {
      if (isGone) end();
      else stop = end;
    })
    // Only text that is not seen growing.
    .catch(() => undefined);
  return () => {
    isGone = true;
    stop?.();
  };
}
