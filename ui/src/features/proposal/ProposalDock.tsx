// Over the plan: the wish while it is written, the planner while it is asked, and the way through what it proposed. It must
// not know the editor; the app hands it in.
import { useEffect } from "react";
import { useKeys } from "../../components/controls/keys";
import { readModels } from "../../state/models";
import {
  closeWish,
  dropPieces,
  leftOf,
  openWish,
  readProposal,
  stepPiece,
  takeAll,
  takePieces,
  useProposal,
} from "../../state/proposal";
import { selectAndShow } from "../../state/selection";
import { Asking } from "./Asking";
import { ProposalBar } from "./ProposalBar";
import { Wish } from "./Wish";

type Props = { run: string; revision: number; isEditable: boolean };

export function ProposalDock({ run, revision, isEditable }: Props) {
  // Whatever a person changes by hand may be what a piece would change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each revision is looked at
  useEffect(() => {
    if (isEditable) void readProposal(run);
  }, [run, revision, isEditable]);
  useEffect(() => void readModels(), []);
  const { view, isWishing, since, run: shown } = useProposal();
  const isOpen = since !== null || view?.state === "open";
  const hasPieces = leftOf(view).length > 0;
  useKeys({ "shift+c": openWish }, "plan", isEditable && !isOpen);
  useKeys(pieceKeys, "plan", isEditable && hasPieces);
  if (!isEditable || shown !== run) return null;
  if (isOpen) return <Asking run={run} />;
  if (isWishing) return <Wish onClose={closeWish} />;
  return view ? <ProposalBar view={view} /> : null;
}

const pieceKeys = {
  "]": () => showStep(1),
  "[": () => showStep(-1),
  y: () => withChosen((id) => void takePieces([id])),
  x: () => withChosen((id) => void dropPieces([id])),
  "ctrl+enter": () => void takeAll(),
};

export function showStep(by: 1 | -1): void {
  const piece = stepPiece(by);
  if (piece && piece.kind !== "plan") selectAndShow([piece.name]);
}

function withChosen(act: (id: string) => void): boolean {
  const { chosen } = useProposal.getState();
  if (chosen) act(chosen);
  return chosen !== null;
}
