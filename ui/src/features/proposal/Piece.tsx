// One piece of a proposed change: its sign and word, what it changes with before and after, and what is done with it.
import { Check, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton } from "../../components/controls/controls";
import type { FieldChangeView, PieceView, ProposalView } from "../../ipc/bindings";
import { print, textOf, tryParse } from "../../ipc/json";
import { namesOf } from "../../state/cards";
import { useDraft } from "../../state/draft";
import { choosePiece, dropPieces, takenWith, takePieces } from "../../state/proposal";
import { selectAndShow } from "../../state/selection";
import { t } from "../../text";
import { list, visible } from "../../text/format";

type Props = { piece: PieceView; view: ProposalView; isChosen: boolean };

export function Piece({ piece, view, isChosen }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  const isLeft = piece.standing === "open" || piece.standing === "moved";
  const title = visible(piece.kind === "plan" ? t.proposal.field(piece.name) : piece.title);
  const show = () => {
    if (isLeft) choosePiece(piece.id);
    if (piece.kind !== "plan") selectAndShow([piece.name]);
  };
  return (
    <li
      ref={row}
      className={`proposal-piece ${piece.standing}${isChosen ? " chosen" : ""}`}
      aria-current={isChosen}
      data-testid={`piece-${piece.id}`}
      data-standing={piece.standing}
    >
      <div className="proposal-row">
        <button type="button" className="proposal-head" onClick={show}>
          <span className={`proposal-sign ${piece.kind}`} aria-hidden="true">
            {t.proposal.sign[piece.kind]}
          </span>
          <span className="grow el" dir="auto" title={title}>
            <b>{title}</b>
          </span>
          <span className="sm t3">{t.proposal.standing[piece.standing] || t.proposal.kind[piece.kind]}</span>
        </button>
        {isLeft ? (
          <>
            <IconButton
              label={t.proposal.leaveThis(title)}
              icon={<X size={15} />}
              onClick={() => void dropPieces([piece.id])}
              data-testid={`leave-${piece.id}`}
            />
            <IconButton
              label={t.proposal.takeThis(title)}
              icon={<Check size={15} />}
              disabled={piece.standing === "moved"}
              onClick={() => void takePieces([piece.id])}
              data-testid={`take-${piece.id}`}
            />
          </>
        ) : null}
      </div>
      {piece.why ? <p className="sm tone-retrying">{visible(piece.why)}</p> : null}
      {isChosen && isLeft ? <Details piece={piece} view={view} /> : null}
    </li>
  );
}

function Details({ piece, view }: { piece: PieceView; view: ProposalView }) {
  const draft = useDraft((s) => s.view);
  const named = new Map([
    ...(draft ? namesOf(draft) : []),
    ...view.pieces.map((one) => [one.name, one.title] as const),
  ]);
  const names = (ids: readonly string[]) => list(ids.map((id) => visible(named.get(id) ?? id)));
  const along = takenWith(view, piece.id);
  return (
    <div className="proposal-details">
      {along.length > 0 ? (
        <p className="sm t2">{t.proposal.with(list(along.map((one) => visible(one.title))))}</p>
      ) : null}
      {piece.gained.length > 0 ? <p className="sm t2">{t.proposal.gained(names(piece.gained))}</p> : null}
      {piece.lost.length > 0 && piece.kind !== "removed" ? (
        <p className="sm t2">{t.proposal.lost(names(piece.lost))}</p>
      ) : null}
      {piece.fields.map((field) => (
        <Field key={field.field} field={field} />
      ))}
    </div>
  );
}

function Field({ field }: { field: FieldChangeView }) {
  return (
    <div className="proposal-field">
      {field.field ? <h4 className="sm">{t.proposal.field(field.field)}</h4> : null}
      {field.before === null ? null : <Value sign="−" look="before" label={t.proposal.before} text={field.before} />}
      {field.after === null ? null : <Value sign="+" look="after" label={t.proposal.after} text={field.after} />}
    </div>
  );
}

function Value({ sign, look, label, text }: { sign: string; look: string; label: string; text: string }) {
  const value = tryParse(text);
  const shown = typeof value === "string" ? textOf(value) : value === undefined ? text : print(value, 2);
  return (
    <div className={`proposal-value ${look}`}>
      <span aria-hidden="true">{sign}</span>
      <pre
        className={`sel${typeof value === "string" ? "" : " mono"}`}
        dir="auto"
        role="region"
        aria-label={label}
        tabIndex={0}
      >
        {visible(shown) || t.proposal.nothing}
      </pre>
    </div>
  );
}
