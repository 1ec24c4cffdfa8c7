// A run as it is watched: the engine sends whole tasks that changed, the store replaces them and keeps the last events.
import { create } from "zustand";
import type { DecisionView, DraftView, EventView, RunNews, RunRow, TaskView } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { foldItems, type ItemStates } from "./frames";

export type RunState = {
  run: string | null;
  row: RunRow | null;
  /** The plan that runs; read again when its digest changes. */
  plan: DraftView | null;
  digest: string | null;
  tasks: ReadonlyMap<string, TaskView>;
  /** Of each map the states of its items. */
  items: ItemStates;
  events: readonly EventView[];
  decisions: readonly DecisionView[];
  output: string | null;
  folder: string | null;
  seq: number;
  fault: Fault | null;
};

const NOTHING: RunState = {
  run: null,
  row: null,
  plan: null,
  digest: null,
  tasks: new Map(),
  items: new Map(),
  events: [],
  decisions: [],
  output: null,
  folder: null,
  seq: 0,
  fault: null,
};
const MOST_EVENTS = 2000;

export const useRun = create<RunState>(() => NOTHING);

/** Watches until the answer is called. Going back to the same run starts from what is known. */
export function watch(run: string): () => void {
  if (useRun.getState().run !== run) useRun.setState({ ...NOTHING, run });
  let stop: (() => void) | null = null;
  let gone = false;
  host()
    .watchRun(
      run,
      0,
      (news) => {
        if (!gone) hear(run, news);
      },
      (fault) => {
        if (!gone) useRun.setState({ fault });
      },
    )
    .then(
      (end) => {
        if (gone) end();
        else stop = end;
      },
      (thrown) => {
        if (!gone) useRun.setState({ fault: asFault(thrown) });
      },
    );
  return () => {
    gone = true;
    stop?.();
  };
}

function hear(run: string, news: RunNews): void {
  const now = useRun.getState();
  if (now.run !== run) return;
  useRun.setState(fold(now, news));
  if (news.digest !== now.digest || now.plan === null) void readPlan(run);
}

/** Pure: the state after the news. News that was heard before changes nothing. */
export function fold(now: RunState, news: RunNews): Partial<RunState> {
  const tasks = news.tasks.length > 0 ? new Map(now.tasks) : now.tasks;
  for (const task of news.tasks) (tasks as Map<string, TaskView>).set(task.id, task);
  const last = now.events[now.events.length - 1]?.seq ?? 0;
  const fresh = news.events.filter((e) => e.seq > last);
  const events = fresh.length > 0 ? [...now.events, ...fresh].slice(-MOST_EVENTS) : now.events;
  return {
    row: news.run,
    digest: news.digest,
    tasks,
    // Another plan comes with all its tasks, and its maps may have fewer items.
    items: foldItems(news.digest === now.digest ? now.items : new Map(), news.tasks),
    events,
    decisions: news.decisions,
    output: news.output,
    folder: news.folder,
    seq: news.seq,
    fault: null,
  };
}

async function readPlan(run: string): Promise<void> {
  try {
    const plan = await host().draft(run);
    if (useRun.getState().run === run) useRun.setState({ plan });
  } catch (thrown) {
    if (useRun.getState().run === run) useRun.setState({ fault: asFault(thrown) });
  }
}
