// The two runs that are compared, and what is looked at of their difference. The engine compares; nothing is worked out here.
import { create } from "zustand";
import type { CompareView, DraftView, FamilyView, OutputDiff, TaskStatus, TaskView } from "../../ipc/bindings";
import { asFault, type Fault, host } from "../../ipc/host";
import { placesOf } from "./places";

/** A run's plan with the states that its tasks have. */
export type Drawn = {
  plan: DraftView;
  tasks: ReadonlyMap<string, TaskView>;
  items: ReadonlyMap<string, TaskStatus[]>;
};

/** What is looked at: a task, or the final answers. */
export type Chosen = { task: string | null };

export type CompareState = {
  a: string | null;
  b: string | null;
  view: CompareView | null;
  drawn: { a: Drawn; b: Drawn } | null;
  family: FamilyView | null;
  chosen: Chosen | null;
  output: OutputDiff | null;
  outputFault: Fault | null;
  ignoreSpaces: boolean;
  /** Which place of the output is looked at; with -1, the last one there will be. */
  place: number;
  fault: Fault | null;
};

const NOTHING = {
  view: null,
  drawn: null,
  family: null,
  chosen: null,
  output: null,
  outputFault: null,
  place: 0,
  fault: null,
};

export const useCompare = create<CompareState>(() => ({ a: null, b: null, ignoreSpaces: false, ...NOTHING }));

let asked = 0;

/** Reads both anew; the newest question wins. What was chosen stays chosen where there still is such a difference. */
export async function readBoth(a: string, b: string): Promise<void> {
  const mine = ++asked;
  const was = useCompare.getState();
  // The same two, or turned round: their picture stays until there is a new one.
  const isSame = (was.a === a && was.b === b) || (was.a === b && was.b === a);
  useCompare.setState(isSame && was.view ? { a, b, fault: null } : { a, b, ...NOTHING });
  try {
    const [view, family] = await Promise.all([host().compareRuns(a, b), host().runFamily(a)]);
    const [ofA, ofB] = await Promise.all([drawnOf(a, view.a), drawnOf(b, view.b)]);
    if (mine !== asked) return;
    const entries = entriesOf(view);
    const kept = isSame ? entries.find((entry) => entry.task === was.chosen?.task) : undefined;
    useCompare.setState({ view, family, drawn: { a: ofA, b: ofB }, fault: null });
    await choose(kept ?? entries[0] ?? null);
  } catch (thrown) {
    if (mine === asked) useCompare.setState({ ...NOTHING, fault: asFault(thrown) });
  }
}

export function forget(): void {
  asked++;
  useCompare.setState({ a: null, b: null, ...NOTHING });
}

async function drawnOf(run: string, { hasBegun, head }: CompareView["a"]): Promise<Drawn> {
  const [plan, moment] = await Promise.all([host().draft(run), hasBegun ? host().moment(run, head) : null]);
  return {
    plan,
    tasks: new Map(moment?.tasks.map((task) => [task.id, task])),
    items: new Map(moment?.items.map((map) => [map.map, map.states])),
  };
}

/** What differs, in the order in which a person goes through it: the answers, then the tasks. */
export function entriesOf(view: CompareView): Chosen[] {
  const answer = view.answer === "none" || view.answer === "same" ? [] : [{ task: null }];
  return [...answer, ...view.tasks.map(({ task }) => ({ task }))];
}

/** Looks at another difference; null: at none. */
export async function choose(chosen: Chosen | null, place = 0): Promise<void> {
  useCompare.setState({ chosen, place, output: null, outputFault: null });
  await readOutput();
}

export async function setIgnoreSpaces(ignoreSpaces: boolean): Promise<void> {
  useCompare.setState({ ignoreSpaces, place: 0 });
  await readOutput();
}

let wanted = 0;

async function readOutput(): Promise<void> {
  const mine = ++wanted;
  const { a, b, chosen, ignoreSpaces } = useCompare.getState();
  if (a === null || b === null || chosen === null) return;
  try {
    const output = await host().compareOutputs(a, b, chosen.task, ignoreSpaces);
    if (mine !== wanted) return;
    const { place } = useCompare.getState();
    const last = Math.max(0, placesOf(output).length - 1);
    useCompare.setState({ output, outputFault: null, place: place < 0 ? last : Math.min(place, last) });
  } catch (thrown) {
    if (mine === wanted) useCompare.setState({ output: null, outputFault: asFault(thrown) });
  }
}

/** From place to place of one output, and on to the next difference; it ends at both ends. */
export function step(by: 1 | -1): void {
  const { view, chosen, output, place } = useCompare.getState();
  if (!view) return;
  const places = output ? placesOf(output).length : 0;
  if (place + by >= 0 && place + by < places) {
    useCompare.setState({ place: place + by });
    return;
  }
  const entries = entriesOf(view);
  const next = entries[entries.findIndex((entry) => entry.task === chosen?.task) + by];
  if (next) void choose(next, by > 0 ? 0 : -1);
}
