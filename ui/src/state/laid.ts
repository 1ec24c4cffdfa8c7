// What is laid on a draft's tasks for the run to come, and what its tasks gave in earlier runs. The engine keeps all of it.
import { useEffect } from "react";
import { create } from "zustand";
import type { BreakpointView, DraftView, LastOutput } from "../ipc/bindings";
import { host } from "../ipc/host";
import { through } from "./draft";

/** `json` is held as the task's output; null lets it be executed again. */
export function hold(task: string, json: string | null): Promise<DraftView | null> {
  return through((run) => host().hold(run, task, json));
}

export function breakAt(task: string, at: BreakpointView | null): Promise<DraftView | null> {
  return through((run) => host().breakAt(run, task, at));
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
