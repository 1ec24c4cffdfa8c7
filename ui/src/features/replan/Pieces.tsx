// The changes of a new plan, each to be taken or left with what goes with it, and field by field what it changes.
import { useEffect, useRef } from "react";
import type { FieldDiff, ReplanPiece, ReplanView } from "../../ipc/bindings";
import { print, tryParse } from "../../ipc/json";
import { namesOf } from "../../state/cards";
import { togglePiece, useReplan, withNeeds } from "../../state/replan";
import { isOver } from "../../state/replanCards";
import { t } from "../../text";
import { list, visible } from "../../text/format";
import { useShown } from "./ReplanCanvas";
import { choosePiece } from "./steps";

export function Pieces({ view }: { view: ReplanView }) {
  const out = useReplan((s) => s.out);
  const chosen = useReplan((s) => s.chosen);
  const { diff } = useShown(view);
  const isOpen = view.row.fate === "waiting";
  const left = isOpen ? out : new Set(view.row.leftOut);
  const edges = (isAdded: boolean) => diff.edges.filter((edge) => edge.isAdded === isAdded).length;
  const same = diff.tasks.filter((task) => task.change === "kept" && !isOver(view, task.task)).length;
  return (
    <>
      <ul className="replan-pieces" aria-label={t.replan.pieces}>
        {view.pieces.map((piece) => (
          <Piece
            key={piece.id}
            piece={piece}
            view={view}
            isChosen={piece.id === chosen}
            isOut={left.has(piece.id)}
            mayChoose={isOpen && view.pieces.length > 1}
          />
        ))}
      </ul>
      <p className="sm t3">{t.replan.connections(edges(true), edges(false), same)}</p>
    </>
  );
}

type Props = { piece: ReplanPiece; view: ReplanView; isChosen: boolean; isOut: boolean; mayChoose: boolean };

function Piece({ piece, view, isChosen, isOut, mayChoose }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  const title = visible(piece.kind === "plan" ? t.replan.field(piece.name) : piece.title);
  return (
    <li
      ref={row}
      className={`replan-piece${isChosen ? " chosen" : ""}${isOut ? " out" : ""}`}
      data-testid={`piece-${piece.id}`}
      data-out={isOut}
    >
      <div className="replan-row">
        {mayChoose ? (
          <input
            type="checkbox"
            checked={!isOut}
            onChange={() => togglePiece(piece.id)}
            aria-label={t.replan.takes(title)}
            data-testid={`take-${piece.id}`}
          />
        ) : null}
        <button
          type="button"
          className="replan-piece-head"
          aria-current={isChosen ? "true" : undefined}
          onClick={() => choosePiece(piece)}
        >
          <span className={`replan-sign ${piece.kind}`} aria-hidden="true">
            {t.replan.sign[piece.kind]}
          </span>
          <b className="el grow" dir="auto" title={title}>
            {title}
          </b>
          <span className="sm t3">{isOut ? t.replan.leftOut : t.replan.kind[piece.kind]}</span>
        </button>
      </div>
      {isChosen ? <Details piece={piece} view={view} /> : null}
    </li>
  );
}

function Details({ piece, view }: { piece: ReplanPiece; view: ReplanView }) {
  const named = new Map([...namesOf(view.before), ...namesOf(view.after)]);
  const names = (ids: readonly string[]) => list(ids.map((id) => visible(named.get(id) ?? id)));
  const along = [...withNeeds(view.pieces, piece.id)].filter((id) => id !== piece.id);
  const others = view.pieces.filter((one) => along.includes(one.id)).map((one) => visible(one.title));
  return (
    <div className="replan-details">
      {others.length > 0 ? <p className="sm t2">{t.replan.needs(list(others))}</p> : null}
      {piece.gained.length > 0 ? <p className="sm t2">{t.replan.after(names(piece.gained))}</p> : null}
      {piece.lost.length > 0 && piece.kind !== "removed" ? (
        <p className="sm t2">{t.replan.noLonger(names(piece.lost))}</p>
      ) : null}
      {piece.fields.map((field) => (
        <Field key={field.pointer} field={field} />
      ))}
    </div>
  );
}

function Field({ field }: { field: FieldDiff }) {
  return (
    <div className="proposal-field">
      {field.pointer ? <h4 className="sm">{t.replan.field(field.pointer)}</h4> : null}
      {field.before === null ? null : (
        <Value sign="−" look="before" label={t.replan.sides.before} json={field.before} />
      )}
      {field.after === null ? null : <Value sign="+" look="after" label={t.replan.sides.after} json={field.after} />}
    </div>
  );
}

function Value({ sign, look, label, json }: { sign: string; look: string; label: string; json: string }) {
  const value = tryParse(json);
  const shown = typeof value === "string" ? value : value === undefined ? json : print(value, 2);
  return (
    <div className={`proposal-value ${look}`}>
      <span aria-hidden="true">{sign}</span>
      <section
        className={`sel replan-value${typeof value === "string" ? "" : " mono"}`}
        dir="auto"
        aria-label={label}
        tabIndex={0}
      >
        {visible(shown)}
      </section>
    </div>
  );
}
