// The plan that is open: the engine's last answer is the truth. Edits are sent one after the other, each on the revision
// that the one before it gave; a conflict reads the plan anew. Nothing is folded or guessed here.
import { create } from "zustand";
import type { DraftView, PlanEdit } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { t } from "../text";
import { notify, notifyFault } from "./notices";

type State = {
  run: string | null;
  view: DraftView | null;
  fault: Fault | null;
  /** Requests that have not been answered yet. */
  pending: number;
};

export const useDraft = create<State>(() => ({ run: null, view: null, fault: null, pending: 0 }));

let queue: Promise<unknown> = Promise.resolve();

/** Text fields that hold something typed and not yet sent. */
const unsent = new Set<() => void>();

export function registerUnsent(send: () => void): () => void {
  unsent.add(send);
  return () => unsent.delete(send);
}

export function sendUnsent(): void {
  for (const send of [...unsent]) send();
}

export async function openDraft(run: string): Promise<void> {
  if (useDraft.getState().run !== run) useDraft.setState({ run, view: null, fault: null });
  await enqueue(run, () => host().draft(run), true);
}

/** A view that another request has just answered, such as opening a file. */
export function showDraft(view: DraftView): void {
  useDraft.setState({ run: view.run, view, fault: null });
}

/** Answers the new view, or null where the engine refused. */
export function edit(edits: PlanEdit[]): Promise<DraftView | null> {
  const { run } = useDraft.getState();
  if (!run || edits.length === 0) return Promise.resolve(null);
  return enqueue(run, () => host().editDraft(run, useDraft.getState().view?.revision ?? 0, edits));
}

/** The newest step, be it an edit or something laid on a task: the engine knows which it was, also after a restart. */
export function undo(): Promise<DraftView | null> {
  return through((run) => host().undoDraft(run));
}

export function redo(): Promise<DraftView | null> {
  return through((run) => host().redoDraft(run));
}

/** Another request that answers the plan as it is then, after all edits so far. */
export function through(request: (run: string) => Promise<DraftView>): Promise<DraftView | null> {
  sendUnsent();
  const { run } = useDraft.getState();
  return run ? enqueue(run, () => request(run)) : Promise.resolve(null);
}

/** Any other request that answers the draft anew, in turn with the edits. */
export function revise(request: (run: string, revision: number) => Promise<DraftView>): Promise<DraftView | null> {
  sendUnsent();
  const { run } = useDraft.getState();
  if (!run) return Promise.resolve(null);
  return enqueue(run, () => request(run, useDraft.getState().view?.revision ?? 0));
}

/** When every edit so far has been answered. */
export function settled(): Promise<unknown> {
  sendUnsent();
  return queue;
}

/** Opening shows a fault in the place of the plan. */
function enqueue(run: string, request: () => Promise<DraftView>, isOpening = false): Promise<DraftView | null> {
  useDraft.setState((s) => ({ pending: s.pending + 1 }));
  const answer = queue.then(async () => {
    if (useDraft.getState().run !== run) return null;
    try {
      return take(run, await request());
    } catch (thrown) {
      return await refuse(run, asFault(thrown), isOpening);
    } finally {
      useDraft.setState((s) => ({ pending: s.pending - 1 }));
    }
  });
  queue = answer.catch(() => undefined);
  return answer;
}

function take(run: string, view: DraftView): DraftView | null {
  if (useDraft.getState().run !== run) return null;
  useDraft.setState({ view, fault: null });
  return view;
}

async function refuse(run: string, fault: Fault, opening: boolean): Promise<null> {
  if (opening && useDraft.getState().view === null) {
    useDraft.setState({ fault });
    return null;
  }
  if (!isStale(fault)) {
    notifyFault(fault);
    // A fresh object makes the canvas drop places that it showed ahead of the engine.
    useDraft.setState((s) => ({ view: s.view ? { ...s.view, tasks: [...s.view.tasks] } : s.view }));
    return null;
  }
  try {
    take(run, await host().draft(run));
    notify(t.plan.changedElsewhere);
  } catch (thrown) {
    notifyFault(thrown);
  }
  return null;
}

/** The engine has a newer revision than the one that the edit was made on. */
export function isStale(fault: Fault): boolean {
  return fault.code === "revised" || fault.code === "conflict";
}
