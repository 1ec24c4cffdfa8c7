// A change of the plan that the planner is asked for: the wish, its asking, the pieces that came, and which one is looked at.
// The engine says which pieces fit; nothing is guessed here.
import { create } from "zustand";
import type { PieceView, PlanningRest, ProposalView } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { t } from "../text";
import { revise, settled } from "./draft";
import { attempt, notify } from "./notices";

type State = {
  run: string | null;
  view: ProposalView | null;
  /** The wish is being written. */
  isWishing: boolean;
  wish: string;
  /** Since when this window asks, or null. */
  since: number | null;
  /** How asking came to rest, where it did not end. */
  rest: PlanningRest | null;
  fault: string | null;
  /** The piece that is looked at. */
  chosen: string | null;
  isShown: boolean;
};

const NOTHING = {
  view: null,
  isWishing: false,
  wish: "",
  since: null,
  rest: null,
  fault: null,
  chosen: null,
  isShown: true,
};

export const useProposal = create<State>(() => ({ run: null, ...NOTHING }));

/** Reads what is proposed for a plan; another plan's is forgotten here. */
export async function readProposal(run: string): Promise<void> {
  if (useProposal.getState().run !== run) useProposal.setState({ run, ...NOTHING });
  const view = await attempt(() => host().proposal(run));
  if (view === undefined || useProposal.getState().run !== run) return;
  const { chosen, since } = useProposal.getState();
  const left = leftOf(view);
  const isThere = left.some((piece) => piece.id === chosen);
  useProposal.setState({ view, chosen: isThere ? chosen : (left[0]?.id ?? null) });
  if (view?.isGoing && view.state === "open" && since === null) void goOn(run);
}

/** The pieces that a person has still to say something to. */
export function leftOf(view: ProposalView | null): PieceView[] {
  return view?.pieces.filter((piece) => piece.standing === "open" || piece.standing === "moved") ?? [];
}

export function openWish(): void {
  useProposal.setState({ isWishing: true, fault: null });
}

export function closeWish(): void {
  useProposal.setState({ isWishing: false, fault: null });
}

export function changeWish(wish: string): void {
  useProposal.setState({ wish });
}

/** Records the wish on the plan as it is now, and asks. Where it can't be, nothing typed is lost. */
export async function askForChange(): Promise<void> {
  await settled();
  const { run, wish } = useProposal.getState();
  if (!run || wish.trim() === "") return;
  try {
    await host().askChange(run, wish);
  } catch (thrown) {
    useProposal.setState({ fault: asFault(thrown).message });
    return;
  }
  useProposal.setState({ isWishing: false, fault: null, isShown: true });
  await goOn(run);
}

/** Asks until it rests; where this window is at it already, that is joined. */
export async function goOn(run: string): Promise<void> {
  if (useProposal.getState().since !== null) return;
  useProposal.setState({ since: Date.now(), rest: null });
  void readProposal(run);
  const rest = await attempt(() => host().changeOn(run));
  if (useProposal.getState().run !== run) {
    if (rest === "planned") notify(t.proposal.elsewhere, { tone: "done" });
    return;
  }
  useProposal.setState({ since: null, rest: rest ?? null });
  await readProposal(run);
  const { view } = useProposal.getState();
  if (rest === "planned" && view && view.pieces.length > 0) useProposal.setState({ wish: "", isShown: true });
}

export async function stopChange(): Promise<void> {
  const { run } = useProposal.getState();
  if (!run) return;
  await attempt(() => host().stopChange(run));
  await readProposal(run);
}

export function choosePiece(id: string): void {
  useProposal.setState({ chosen: id, isShown: true });
}

/** The piece so many further on, round and round. */
export function stepPiece(by: 1 | -1): PieceView | null {
  const { view, chosen } = useProposal.getState();
  const left = leftOf(view);
  if (left.length === 0) return null;
  const at = left.findIndex((piece) => piece.id === chosen);
  const next = left[(Math.max(at, by === 1 ? at : 0) + by + left.length) % left.length] ?? null;
  if (next) choosePiece(next.id);
  return next;
}

/** What is taken with these pieces beside them, as the person would see it. */
export function takenWith(view: ProposalView, id: string): PieceView[] {
  const byId = new Map(view.pieces.map((piece) => [piece.id, piece]));
  const seen = new Set<string>([id]);
  for (const one of seen) for (const need of byId.get(one)?.needs ?? []) seen.add(need);
  seen.delete(id);
  return view.pieces.filter((piece) => seen.has(piece.id) && piece.standing !== "taken");
}

export async function takePieces(ids: string[]): Promise<void> {
  const { run } = useProposal.getState();
  if (!run || ids.length === 0) return;
  const draft = await revise((at, revision) => host().takePieces(at, revision, ids));
  await readProposal(run);
  // While there is more to say something to, the count over the canvas tells it.
  if (draft && leftOf(useProposal.getState().view).length === 0) notify(t.proposal.taken, { tone: "done" });
}

/** All that still fits. */
export async function takeAll(): Promise<void> {
  const open = leftOf(useProposal.getState().view).filter((piece) => piece.standing === "open");
  await takePieces(open.map((piece) => piece.id));
}

/** None: all that is left. */
export async function dropPieces(ids: string[]): Promise<void> {
  const { run } = useProposal.getState();
  if (!run) return;
  await attempt(() => host().dropPieces(run, ids));
  await readProposal(run);
}
