// Going from change to change of a new plan: the list and the canvas follow.
import type { ReplanPiece } from "../../ipc/bindings";
import { useReplan } from "../../state/replan";
import { selectAndShow } from "../../state/selection";

export function choosePiece(piece: ReplanPiece): void {
  useReplan.setState({ chosen: piece.id });
  if (piece.kind !== "plan") selectAndShow([piece.name]);
}

/** The change so many further on, round and round. */
export function stepPiece(by: 1 | -1): void {
  const { view, chosen } = useReplan.getState();
  const pieces = view?.pieces ?? [];
  if (pieces.length === 0) return;
  const at = pieces.findIndex((piece) => piece.id === chosen);
  const from = at < 0 && by < 0 ? 0 : at;
  const next = pieces[(from + by + pieces.length) % pieces.length];
  if (next) choosePiece(next);
}
