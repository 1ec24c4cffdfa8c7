// Which plans or runs are shown in a list, what was found inside of them, which are chosen or folded, and what each takes on
// the disk. What is asked last is what is shown, whenever answers come.
import { create } from "zustand";
import type { FoundView, HitView, RunRow, RunStatus, RunsAsked, RunsPage } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { askMoment } from "./moment";
import { attempt } from "./notices";
import { go } from "./route";
import { clearSelection, selectAndShow } from "./selection";

/** What a person has chosen in a list. `days`: changed within so many; null: at any time. */
export type Wanted = {
  kind: "plans" | "runs";
  states: readonly RunStatus[];
  tag: string | null;
  days: number | null;
  text: string;
  limit: number;
};

type State = {
  wanted: Wanted | null;
  page: RunsPage | null;
  fault: Fault | null;
  found: FoundView | null;
  foundFault: Fault | null;
  isSearching: boolean;
  folded: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  /** Bytes by run, its own folder included. */
  sizes: ReadonlyMap<string, number>;
};

const NOTHING: State = {
  wanted: null,
  page: null,
  fault: null,
  found: null,
  foundFault: null,
  isSearching: false,
  folded: new Set(),
  chosen: new Set(),
  sizes: new Map(),
};

const DAY_MS = 86_400_000;
const HITS = 50;
const AGAIN_MS = 300;
/** The rest comes with the next look. */
const WEIGHED_AT_ONCE = 200;

export const useFinding = create<State>(() => NOTHING);

/** A list is left: nothing of it is kept. */
export function leaveList(): void {
  useFinding.setState(NOTHING);
}

function asked(wanted: Wanted): RunsAsked {
  return {
    drafts: wanted.kind === "plans",
    states: [...wanted.states],
    tags: wanted.tag === null ? [] : [wanted.tag],
    since: wanted.days === null ? null : Date.now() - wanted.days * DAY_MS,
    until: null,
    text: wanted.text,
    limit: wanted.limit,
  };
}

/** Shows what is wanted from now on. */
export async function want(wanted: Wanted): Promise<void> {
  const before = useFinding.getState().wanted;
  useFinding.setState({ wanted });
  const isOther = before === null || before.text !== wanted.text || before.kind !== wanted.kind;
  if (isOther || before.tag !== wanted.tag || before.days !== wanted.days || before.states !== wanted.states)
    void searchInside(wanted);
  await rereadPage();
}

export async function rereadPage(): Promise<void> {
  const { wanted } = useFinding.getState();
  if (!wanted) return;
  try {
    const page = await host().findRuns(asked(wanted));
    const now = useFinding.getState();
    if (now.wanted !== wanted) return;
    const rows = kept(now.page?.rows ?? [], page.rows);
    const there = new Set(rows.map((row) => row.run));
    const chosen = new Set([...now.chosen].filter((run) => there.has(run)));
    useFinding.setState({ page: { ...page, rows }, fault: null, chosen });
    void weigh(rows);
  } catch (thrown) {
    if (useFinding.getState().wanted === wanted) useFinding.setState({ fault: asFault(thrown) });
  }
}

/** Rows that say what they said before stay the same, so that they are not drawn again. */
function kept(before: readonly RunRow[], rows: RunRow[]): RunRow[] {
  const known = new Map(before.map((row) => [row.run, row]));
  return rows.map((row) => {
    const old = known.get(row.run);
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
}

/** By run: where its log ended when it was weighed. */
const weighed = new Map<string, number>();

async function weigh(rows: readonly RunRow[]): Promise<void> {
  const { sizes } = useFinding.getState();
  const isOpen = (row: RunRow) => !sizes.has(row.run) || weighed.get(row.run) !== row.changedAt;
  const open = rows.filter(isOpen).slice(0, WEIGHED_AT_ONCE);
  if (open.length === 0) return;
  // What can't be weighed says nothing; the list itself tells of a fault.
  const found = await host()
    .runSizes(open.map((row) => row.run))
    .catch(() => []);
  for (const row of open) weighed.set(row.run, row.changedAt ?? 0);
  const next = new Map(useFinding.getState().sizes);
  for (const size of found) next.set(size.run, size.bytes + size.files);
  useFinding.setState({ sizes: next });
}

/** Asks again as long as something is not looked through yet and nothing else is wanted. */
async function searchInside(wanted: Wanted): Promise<void> {
  if (wanted.text.trim() === "") {
    useFinding.setState({ found: null, foundFault: null, isSearching: false });
    return;
  }
  useFinding.setState({ isSearching: true });
  const isCurrent = () => {
    const now = useFinding.getState().wanted;
    return now?.text === wanted.text && now.kind === wanted.kind && now.tag === wanted.tag;
  };
  try {
    for (;;) {
      const found = await host().search({ ...asked(wanted), limit: HITS });
      if (!isCurrent()) return;
      useFinding.setState({ found, foundFault: null, isSearching: found.behind > 0 });
      if (found.behind === 0) return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      if (!isCurrent()) return;
    }
  } catch (thrown) {
    if (isCurrent()) useFinding.setState({ foundFault: asFault(thrown), isSearching: false });
  }
}

export function searchAgain(): void {
  const { wanted } = useFinding.getState();
  if (wanted) void searchInside(wanted);
}

/** To the moment at which it stood there, with its task; what a plan says now, in the plan. */
export function openHit(hit: HitView): void {
  clearSelection();
  const isDraft = hit.status === "AWAITING_APPROVAL";
  if (hit.task !== null) selectAndShow([hit.task]);
  if (isDraft || hit.seq === null) {
    go({ screen: isDraft ? "plan" : "run", run: hit.run });
    return;
  }
  askMoment(hit.run, hit.seq);
  go({ screen: "review", run: hit.run });
}

export function fold(run: string, isFolded: boolean): void {
  const folded = new Set(useFinding.getState().folded);
  if (isFolded) folded.add(run);
  else folded.delete(run);
  useFinding.setState({ folded });
}

export function choose(runs: readonly string[], isChosen: boolean): void {
  const chosen = new Set(useFinding.getState().chosen);
  for (const run of runs) {
    if (isChosen) chosen.add(run);
    else chosen.delete(run);
  }
  useFinding.setState({ chosen });
}

/** False: nothing was kept, and the notice says why. */
export async function tag(run: string, add: readonly string[], remove: readonly string[]): Promise<boolean> {
  const tags = await attempt(() => host().tagRun(run, [...add], [...remove]));
  if (tags) await rereadPage();
  return tags !== undefined;
}
