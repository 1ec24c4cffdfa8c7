// What is laid on a draft's tasks for the run to come, and what its tasks gave in earlier runs. The engine keeps all of it.
import { useEffect } from "react";
import { create } from "zustand";
import type { BreakpointView, DraftView, LastOutput } from "../ipc/bindings";
import { host } from "../ipc/host";
import { t } from "../text";
import { through, useDraft } from "./draft";
import { remember } from "./timeline";

/** `json` is held as the task's output; null lets it be executed again. */
export async function hold(task: string, json: string | null): Promise<DraftView | null> {
  const former = await heldBefore(task);
  const label = t.editor.pinOf(nameOf(task));
  return lay(label, former, json, (run, value) => host().hold(run, task, value));
}

export function breakAt(task: string, at: BreakpointView | null): Promise<DraftView | null> {
  const former = taskNow(task)?.breakpoint;
  return lay(t.editor.stopOf(nameOf(task)), former, at, (run, value) => host().breakAt(run, task, value));
}

/** Undone by laying again what lay there before; `former` is undefined where that can't be known. */
async function lay<T>(
  label: string,
  former: T | undefined,
  next: T,
  set: (run: string, value: T) => Promise<DraftView>,
): Promise<DraftView | null> {
  const view = await through((run) => set(run, next));
  if (!view || former === undefined || former === next) return view;
  remember(view.run, { label, undo: () => set(view.run, former), redo: () => set(view.run, next) });
  return view;
}

const taskNow = (id: string) => useDraft.getState().view?.tasks.find((task) => task.id === id);
const nameOf = (id: string) => taskNow(id)?.title || id;

/** Undefined where it can't be known, as for what is inside of a map: then the act is not taken back by undo. */
async function heldBefore(task: string): Promise<string | null | undefined> {
  const { run } = useDraft.getState();
  const there = taskNow(task);
  if (!run || !there) return undefined;
  if (!there.pinned) return null;
  return host()
    .heldOutput(run, task)
    .catch(() => undefined);
}

/** Answers by run and task; null: there is none. */
const useLast = create<{ found: ReadonlyMap<string, LastOutput | null> }>(() => ({ found: new Map() }));

const keyOf = (run: string, task: string) => `${run} ${task}`;

/** Read once for each task of a run; undefined until it is known. It is only a help, so a fault says nothing. */
export function useLastOutput(run: string, task: string): LastOutput | null | undefined {
  const found = useLast((s) => s.found.get(keyOf(run, task)));
  useEffect(() => {
    if (task !== "" && found === undefined) void readLast(run, task);
  }, [run, task, found]);
  return found;
}

export async function readLast(run: string, task: string): Promise<LastOutput | null> {
  const last = await host()
    .lastOutput(run, task)
    .catch(() => null);
  useLast.setState((s) => ({ found: new Map(s.found).set(keyOf(run, task), last) }));
  return last;
}

/** Another plan, or the same after a run: what was known may be old. */
export function forgetLast(): void {
  useLast.setState({ found: new Map() });
}
