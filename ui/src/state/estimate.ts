// What the plan that is edited may cost and how long it may take. Asked for once edits rest; the engine works it out. What was
// known stays shown until the next answer, but never for another run.
import { useEffect } from "react";
import { create } from "zustand";
import type { DraftView, EstimateView } from "../ipc/bindings";
import { host } from "../ipc/host";

type State = { run: string | null; estimate: EstimateView | null };

/** Edits come one after the other; nobody needs an estimate between them. */
const REST_MS = 300;

const store = create<State>(() => ({ run: null, estimate: null }));

export function useEstimate(view: DraftView): EstimateView | null {
  const { run, revision, isDraft } = view;
  useEffect(() => {
    if (!isDraft) return;
    let isLeft = false;
    const delay = store.getState().run === run ? REST_MS : 0;
    const timer = window.setTimeout(async () => {
      // A plan without an estimate is drawn without one; whatever is wrong with it stands among its problems.
      const estimate = await host()
        .estimate(run)
        .catch(() => null);
      if (!isLeft && revision >= 0) store.setState({ run, estimate });
    }, delay);
    return () => {
      isLeft = true;
      window.clearTimeout(timer);
    };
  }, [run, revision, isDraft]);
  return store((s) => (isDraft && s.run === run ? s.estimate : null));
}
