// How plans come from goals: each planning that this window drives, and the one on show as it is watched. The engine says
// what is so; nothing is folded here but the list of events.
import { create } from "zustand";
import type { DecisionView, EventView, PlanningRest, PlanningView, RunNews, RunRow } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { t } from "../text";
import { openDraft, useDraft } from "./draft";
import { asked, goalTaken, useGoal } from "./goal";
import { readHome, readInbox } from "./lists";
import { attempt, notify } from "./notices";
import { go, useRoute } from "./route";
import { clearSelection } from "./selection";

export type PlanningState = {
  run: string | null;
  /** Null: not looked yet, or the plan did not begin with a goal; `isKnown` tells which. */
  view: PlanningView | null;
  isKnown: boolean;
  row: RunRow | null;
  events: readonly EventView[];
  decisions: readonly DecisionView[];
  fault: Fault | null;
};

const NOTHING: PlanningState = {
  run: null,
  view: null,
  isKnown: false,
  row: null,
  events: [],
  decisions: [],
  fault: null,
};
const MOST_EVENTS = 500;

export const usePlanning = create<PlanningState>(() => NOTHING);

/** Since when this window drives which planning, and whose plan a person has taken over. */
export const useDriven = create<{ since: Record<string, number>; byHand: Record<string, true> }>(() => ({
  since: {},
  byHand: {},
}));

export type Phase = "none" | "going" | "asks" | "left" | "failed" | "over";

/** What a person can do about it now. Pure. */
export function phaseOf(state: PlanningState, isDriven: boolean, isByHand: boolean): Phase {
  const { view, row, decisions } = state;
  if (!view) return "none";
  if (view.state === "failed") return isDriven ? "going" : isByHand || (row?.revision ?? 1) > 1 ? "over" : "failed";
  if (view.state !== "open") return "over";
  if (isDriven || view.isGoing) return "going";
  if (isByHand) return "over";
  return decisions.length > 0 ? "asks" : "left";
}

/** Opens the goal that stands on Home and shows how its plan comes to be. Where it can't be opened nothing is lost. */
export async function makePlan(): Promise<boolean> {
  const run = await attempt(() => host().openGoal(asked(useGoal.getState())));
  if (run === undefined) return false;
  goalTaken();
  clearSelection();
  go({ screen: "plan", run });
  void planOn(run);
  return true;
}

/** Plans on until it rests; where this window is at it already, that is joined. */
export async function planOn(run: string): Promise<PlanningRest | null> {
  if (useDriven.getState().since[run] !== undefined) return null;
  useDriven.setState((s) => ({ since: { ...s.since, [run]: Date.now() }, byHand: without(s.byHand, run) }));
  let rest: PlanningRest | null = null;
  try {
    rest = await host().planOn(run);
  } catch (thrown) {
    if (usePlanning.getState().run === run) usePlanning.setState({ fault: asFault(thrown) });
    else notify(asFault(thrown).message, { tone: "fault" });
  }
  await look(run);
  if (rest === "planned" && useDraft.getState().run === run) await openDraft(run);
  useDriven.setState((s) => ({ since: without(s.since, run) }));
  void readInbox();
  if (rest) tellElsewhere(run, rest);
  return rest;
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record;
  return rest;
}

/** Who looks at another screen meanwhile is told how it came out. */
function tellElsewhere(run: string, rest: PlanningRest): void {
  const { route } = useRoute.getState();
  if (("run" in route && route.run === run) || rest === "left" || rest === "stopped") return;
  const action = { label: t.planning.show, act: () => go({ screen: "plan", run }) };
  notify(t.planning.elsewhere[rest], {
    tone: rest === "failed" ? "fault" : rest === "planned" ? "done" : "plain",
    action,
  });
}

/** What came is kept; `planOn` goes on from there. */
export async function leavePlanning(run: string): Promise<void> {
  await attempt(() => host().leavePlanning(run));
}

export function editByHand(run: string): void {
  useDriven.setState((s) => ({ byHand: { ...s.byHand, [run]: true } }));
}

/** Follows the planning of a run until the answer is called. A run that began with no goal is not watched. */
export function watchPlanning(run: string): () => void {
  if (usePlanning.getState().run !== run) usePlanning.setState({ ...NOTHING, run });
  let stop: (() => void) | null = null;
  let isGone = false;
  const follow = async () => {
    await look(run);
    const { view } = usePlanning.getState();
    if (isGone || !view) return;
    // After a reload of the page the shell still drives it: join.
    if (view.isGoing && view.state === "open") void planOn(run);
    const end = await host().watchRun(
      run,
      0,
      (news) => !isGone && hear(run, news),
      (fault) => !isGone && usePlanning.setState({ fault }),
    );
    if (isGone) end();
    else stop = end;
  };
  follow().catch((thrown) => !isGone && usePlanning.setState({ fault: asFault(thrown) }));
  return () => {
    isGone = true;
    stop?.();
  };
}

function hear(run: string, news: RunNews): void {
  const now = usePlanning.getState();
  if (now.run !== run) return;
  const last = now.events[now.events.length - 1]?.seq ?? 0;
  const fresh = news.events.filter((event) => event.seq > last);
  const events = fresh.length > 0 ? [...now.events, ...fresh].slice(-MOST_EVENTS) : now.events;
  usePlanning.setState({ row: news.run, events, decisions: news.decisions });
  if (fresh.length > 0) void look(run);
}

/** How a planning stands, as the shell has told unasked. */
export function showPlanning(run: string, view: PlanningView): void {
  if (usePlanning.getState().run === run) usePlanning.setState({ view, isKnown: true });
}

/** The newest of several questions under way is the one that counts. */
let asking = 0;

async function look(run: string): Promise<void> {
  const mine = ++asking;
  try {
    const view = await host().planning(run);
    if (usePlanning.getState().run === run && mine === asking)
      usePlanning.setState({ view, isKnown: true, fault: null });
  } catch (thrown) {
    if (usePlanning.getState().run === run) usePlanning.setState({ isKnown: true, fault: asFault(thrown) });
  }
}

/** Answers what the planner asks, then plans on. Null, or what went wrong in words. */
export async function answerPlanner(decision: DecisionView, given: string): Promise<string | null> {
  try {
    await host().decide(decision.run, decision.id, given);
    void planOn(decision.run);
    return null;
  } catch (thrown) {
    return asFault(thrown).message;
  } finally {
    void readInbox();
    void readHome();
  }
}
