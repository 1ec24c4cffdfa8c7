// The schedule of the plan as it is shown, with the parameters being filled in. Asked for again when either changes.
import { useCallback, useEffect, useRef, useState } from "react";
import type { DryRunView, Withheld } from "../../../ipc/bindings";
import { asFault, host } from "../../../ipc/host";

/** Typing comes letter by letter; the schedule waits until it rests. */
const REST_MS = 300;

export function useDryRun(run: string, digest: string, parameters: string, off: Withheld[]) {
  const [view, setView] = useState<DryRunView | null>(null);
  const isFirst = useRef(true);
  const [fault, setFault] = useState<string | null>(null);
  const read = useCallback(async () => {
    try {
      const next = await host().dryRun(run, parameters, off);
      return { next, fault: null };
    } catch (thrown) {
      return { next: null, fault: asFault(thrown).message };
    }
  }, [run, parameters, off]);
  const take = useCallback((answer: Awaited<ReturnType<typeof read>>) => {
    setView(answer.next);
    setFault(answer.fault);
  }, []);
  useEffect(() => {
    let isLeft = false;
    const timer = window.setTimeout(
      async () => {
        const answer = await read();
        if (!isLeft && digest !== "") take(answer);
      },
      isFirst.current ? 0 : REST_MS,
    );
    isFirst.current = false;
    return () => {
      isLeft = true;
      window.clearTimeout(timer);
    };
  }, [read, digest, take]);
  return { view, fault, again: () => void read().then(take) };
}
