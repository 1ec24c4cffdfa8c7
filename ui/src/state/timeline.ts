// The order in which edits were made and things laid on tasks, so that undo takes back the newest of both. The engine undoes
// edits by itself; pins and breakpoints are undone by laying what lay there before. Of this session only.
import { create } from "zustand";
import type { DraftView } from "../ipc/bindings";

/** Something laid on a task, and how it is taken back and done again. */
export type Laid = { label: string; undo: () => Promise<DraftView>; redo: () => Promise<DraftView> };
type Step = Laid | "edit";

type Line = { past: readonly Step[]; future: readonly Step[] };

const NONE: Line = { past: [], future: [] };
const MOST = 400;

export const useTimeline = create<{ byRun: Readonly<Record<string, Line>> }>(() => ({ byRun: {} }));

function of(run: string): Line {
  return useTimeline.getState().byRun[run] ?? NONE;
}

function set(run: string, line: Line): void {
  useTimeline.setState(({ byRun }) => ({ byRun: { ...byRun, [run]: line } }));
}

export function remember(run: string, step: Step): void {
  set(run, { past: [...of(run).past, step].slice(-MOST), future: [] });
}

/** What was laid last and no edit has followed; null where the engine's own undo is next. */
export function nextBack(run: string): Laid | null {
  const { past } = of(run);
  const last = past[past.length - 1];
  return last === undefined || last === "edit" ? null : last;
}

export function nextForward(run: string): Laid | null {
  const { future } = of(run);
  const last = future[future.length - 1];
  return last === undefined || last === "edit" ? null : last;
}

export function wentBack(run: string): void {
  const { past, future } = of(run);
  const last = past[past.length - 1];
  if (last !== undefined) set(run, { past: past.slice(0, -1), future: [...future, last] });
}

export function wentForward(run: string): void {
  const { past, future } = of(run);
  const next = future[future.length - 1];
  if (next !== undefined) set(run, { past: [...past, next], future: future.slice(0, -1) });
}
