// A new plan that a replanner proposes: what it says, which pieces of it a person wants, their own version of it, and the
// answer. What may be taken the engine says each time; nothing of it is guessed here.
import { create } from "zustand";
import type { ReplanPiece, ReplanPreview, ReplansView, ReplanView } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { isObject, type Json, type JsonObject, objectOf, parse, print, textOf } from "../ipc/json";
import { goOnAfterAnswer } from "./decide";
import { readInbox } from "./lists";

type State = {
  run: string | null;
  list: ReplansView | null;
  view: ReplanView | null;
  fault: Fault | null;
  /** Pieces that are left out. */
  out: ReadonlySet<string>;
  /** The person's own version of the plan; null while they do not edit. */
  edited: JsonObject | null;
  isEditing: boolean;
  /** What taking it so would come to; null: as proposed. */
  preview: ReplanPreview | null;
  isChecking: boolean;
  note: string;
  /** The piece that is looked at. */
  chosen: string | null;
  isBusy: boolean;
  /** Why the last answer was not taken. */
  refused: string | null;
};

const NOTHING = {
  list: null,
  view: null,
  fault: null,
  out: new Set<string>(),
  edited: null,
  isEditing: false,
  preview: null,
  isChecking: false,
  note: "",
  chosen: null,
  isBusy: false,
  refused: null,
} satisfies Omit<State, "run">;

export const useReplan = create<State>(() => ({ run: null, ...NOTHING }));

/** Reads the replans of a run and one of them; without a number the newest. */
export async function readReplan(run: string, attempt: number | null): Promise<void> {
  if (useReplan.getState().run !== run) useReplan.setState({ run, ...NOTHING });
  try {
    const list = await host().replans(run);
    const wanted = list.attempts.find((row) => row.attempt === attempt) ?? list.attempts[list.attempts.length - 1];
    const view = wanted ? await host().replan(run, wanted.attempt) : null;
    if (useReplan.getState().run !== run) return;
    const before = useReplan.getState().view;
    // The same proposal read again keeps what the person has done with it.
    const isSame = before !== null && view !== null && isSameProposal(before, view);
    useReplan.setState({ ...(isSame ? {} : NOTHING), list, view, fault: null });
  } catch (thrown) {
    if (useReplan.getState().run === run) useReplan.setState({ fault: asFault(thrown) });
  }
}

function isSameProposal(before: ReplanView, now: ReplanView): boolean {
  return (
    before.row.attempt === now.row.attempt &&
    before.row.fate === now.row.fate &&
    before.row.decision === now.row.decision &&
    before.before.revision === now.before.revision
  );
}

/** All pieces without which this one can't be taken, itself included. */
export function withNeeds(pieces: readonly ReplanPiece[], id: string): Set<string> {
  const byId = new Map(pieces.map((piece) => [piece.id, piece]));
  const all = new Set([id]);
  for (const one of all) for (const need of byId.get(one)?.needs ?? []) all.add(need);
  return all;
}

/** All pieces that can't be taken without this one, itself included. */
export function withDependents(pieces: readonly ReplanPiece[], id: string): Set<string> {
  const all = new Set([id]);
  for (const one of all) for (const piece of pieces) if (piece.needs.includes(one)) all.add(piece.id);
  return all;
}

/** What is left out after this piece was taken or left, so that what is taken is always whole. */
export function outAfter(pieces: readonly ReplanPiece[], out: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(out);
  if (out.has(id)) for (const one of withNeeds(pieces, id)) next.delete(one);
  else for (const one of withDependents(pieces, id)) next.add(one);
  return next;
}

export function togglePiece(id: string): void {
  const { view, out } = useReplan.getState();
  if (view?.row.fate !== "waiting") return;
  useReplan.setState({ out: outAfter(view.pieces, out, id), chosen: id });
  void check();
}

/** The answer that accepts what is on show; null where nothing is left to accept. */
export function acceptance(): Json | null {
  const { view, out, edited, preview } = useReplan.getState();
  if (!view) return null;
  const digest: JsonObject = preview?.digest ? { digest: preview.digest } : {};
  if (edited) return { edit: edited, ...digest };
  if (out.size === 0) return "accept";
  const taken = view.pieces.filter((piece) => !out.has(piece.id)).map((piece) => piece.id);
  return taken.length === 0 ? null : { accept: taken, ...digest };
}

let asked = 0;

/** Asks what it would come to. An answer that comes late is of no use. */
export async function check(): Promise<void> {
  const number = ++asked;
  const { run, view, out, edited } = useReplan.getState();
  const decision = view?.row.decision;
  useReplan.setState({ refused: null });
  if (!run || !decision || (out.size === 0 && !edited)) {
    useReplan.setState({ preview: null, isChecking: false });
    return;
  }
  // What was looked at before is not what is asked about now.
  useReplan.setState({ preview: null, isChecking: true });
  const answer = acceptance();
  if (answer === null) {
    useReplan.setState({ isChecking: false });
    return;
  }
  try {
    const preview = await host().previewReplan(run, decision, print(answer));
    if (number === asked) useReplan.setState({ preview, isChecking: false });
  } catch (thrown) {
    if (number === asked) useReplan.setState({ isChecking: false, refused: asFault(thrown).message });
  }
}

/** Whether what is on show may be accepted now. */
export function mayAccept(state: State): boolean {
  const { view, out, edited, preview, isChecking, isBusy } = state;
  if (view?.row.fate !== "waiting" || isBusy || isChecking) return false;
  if (out.size === 0 && !edited) return true;
  return preview !== null && preview.refused.length === 0;
}

/** Answers, once; null: done. What went wrong is shown, and nothing of what the person did is lost. */
async function send(answer: Json): Promise<boolean> {
  const { run, view, isBusy } = useReplan.getState();
  const decision = view?.row.decision;
  if (!run || !decision || isBusy) return false;
  useReplan.setState({ isBusy: true, refused: null });
  try {
    await host().decide(run, decision, print(answer));
    await goOnAfterAnswer(run);
    return true;
  } catch (thrown) {
    useReplan.setState({ refused: asFault(thrown).message });
    return false;
  } finally {
    useReplan.setState({ isBusy: false });
    void readInbox();
  }
}

export async function accept(): Promise<boolean> {
  const answer = acceptance();
  return answer !== null && mayAccept(useReplan.getState()) && (await send(answer));
}

export const reject = (): Promise<boolean> => send("reject");
export const stopRun = (): Promise<boolean> => send("stop");

export async function askAgain(): Promise<boolean> {
  const { note } = useReplan.getState();
  const isSent = await send(note.trim() === "" ? "again" : { again: note });
  if (isSent) useReplan.setState({ note: "" });
  return isSent;
}

/** Opens the person's version: what they had, else the plan as proposed. */
export function beginEdit(): void {
  const { view, edited } = useReplan.getState();
  if (view?.row.fate !== "waiting") return;
  useReplan.setState({ isEditing: true, edited: edited ?? objectOf(parse(view.after.document)) });
  void check();
}

/** Back to the proposal and its pieces. */
export function endEdit(): void {
  useReplan.setState({ isEditing: false, edited: null });
  void check();
}

let timer: ReturnType<typeof setTimeout> | undefined;
const REST_MS = 350;

function change(edited: JsonObject): void {
  useReplan.setState({ edited, preview: null, isChecking: true });
  clearTimeout(timer);
  timer = setTimeout(() => void check(), REST_MS);
}

export function tasksIn(document: JsonObject | null): JsonObject[] {
  const tasks = document?.tasks;
  return Array.isArray(tasks) ? tasks.filter((task): task is JsonObject => isObject(task)) : [];
}

/** Puts another version of a task in its place; null removes it, one that is not there comes last. */
export function editTask(id: string, task: JsonObject | null): void {
  const { edited } = useReplan.getState();
  if (!edited) return;
  const tasks = tasksIn(edited);
  const isThere = tasks.some((one) => textOf(one.id) === id);
  const next =
    task === null
      ? tasks.filter((one) => textOf(one.id) !== id)
      : isThere
        ? tasks.map((one) => (textOf(one.id) === id ? task : one))
        : [...tasks, task];
  change({ ...edited, tasks: next });
}

/** Fields of the plan itself that a replan may change. */
export const PLAN_FIELDS = ["grants", "budget", "synthesis"] as const;

export function editPlan(fields: JsonObject): void {
  const { edited } = useReplan.getState();
  if (!edited) return;
  const { grants: _g, budget: _b, synthesis: _s, ...rest } = edited;
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => PLAN_FIELDS.some((one) => one === name)));
  change({ ...rest, ...own });
}
