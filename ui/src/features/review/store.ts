// What is looked back on: the run's time axis, the position that is shown, and the run as it was there. Asking is one at a
// time: while an answer is on its way only the newest wish is remembered, so that scrubbing never queues up.
import { create } from "zustand";
import type { DraftView, MomentView, TimelineView } from "../../ipc/bindings";
import { asFault, type Fault, host } from "../../ipc/host";
import { takeMoment } from "../../state/moment";
import { type Axis, axisOf } from "./axis";

export type ReviewState = {
  run: string | null;
  line: TimelineView | null;
  axis: Axis | null;
  /** The position that is asked for; `moment` follows it. */
  seq: number;
  moment: MomentView | null;
  plan: DraftView | null;
  fault: Fault | null;
};

const NOTHING: ReviewState = {
  run: null,
  line: null,
  axis: null,
  seq: 0,
  moment: null,
  plan: null,
  fault: null,
};
/** Moments and plans that were shown lately. */
const KEPT = 300;

export const useReview = create<ReviewState>(() => NOTHING);

const moments = new Map<string, MomentView>();
const plans = new Map<string, DraftView>();
let isAsking = false;

/** Reads the run's history; the position stays where it is, or is the end. */
export async function readLine(run: string): Promise<void> {
  if (useReview.getState().run !== run) {
    moments.clear();
    plans.clear();
    useReview.setState({ ...NOTHING, run });
  }
  try {
    const line = await host().timeline(run);
    const now = useReview.getState();
    if (now.run !== run) return;
    const asked = takeMoment(run);
    const wasAtEnd = now.line === null || now.seq >= now.line.head;
    // The newest moment is told anew: nobody may be driving any more.
    moments.delete(keyOf(run, line.head));
    const seq = Math.min(asked ?? (wasAtEnd ? line.head : now.seq), line.head);
    useReview.setState({ line, axis: axisOf(line), seq, fault: null });
    void follow();
  } catch (thrown) {
    if (useReview.getState().run === run) useReview.setState({ fault: asFault(thrown) });
  }
}

export function goTo(seq: number): void {
  const { line, seq: now } = useReview.getState();
  if (!line) return;
  const next = Math.min(line.head, Math.max(1, Math.round(seq)));
  if (next === now) return;
  useReview.setState({ seq: next });
  void follow();
}

/** Shows the position that is wanted, until nothing else is wanted any more. */
async function follow(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  try {
    for (;;) {
      const { run, seq, moment } = useReview.getState();
      if (run === null || seq === 0 || (moment?.seq === seq && moment.row.run === run)) return;
      const found = await momentOf(run, seq);
      const plan = await planOf(run, found);
      if (useReview.getState().run === run) useReview.setState({ moment: found, plan, fault: null });
    }
  } catch (thrown) {
    useReview.setState({ fault: asFault(thrown) });
  } finally {
    isAsking = false;
  }
}

function keyOf(run: string, at: number | string): string {
  return `${run} ${at}`;
}

async function momentOf(run: string, seq: number): Promise<MomentView> {
  const known = moments.get(keyOf(run, seq));
  if (known) return known;
  const found = await host().moment(run, seq);
  keep(moments, keyOf(run, seq), found);
  return found;
}

/** Another plan is read only where the document is another one. */
async function planOf(run: string, moment: MomentView): Promise<DraftView> {
  const key = keyOf(run, moment.document);
  const known = plans.get(key);
  if (known) return known;
  const found = await host().planAt(run, moment.seq);
  keep(plans, key, found);
  return found;
}

function keep<T>(into: Map<string, T>, key: string, value: T): void {
  into.set(key, value);
  const oldest = into.keys().next();
  if (into.size > KEPT && !oldest.done) into.delete(oldest.value);
}

/** Waits until what is wanted is shown; for tests and measures. */
export async function settled(): Promise<void> {
  while (isAsking) await new Promise((resolve) => setTimeout(resolve, 0));
}
