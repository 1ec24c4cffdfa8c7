// The chosen card seen from near: over its neighbours, with what it does, takes, gives and may use. At a steady text size.
import { createContext, useContext } from "react";
import { t } from "../../text";
import { visible } from "../../text/format";
import { KindTile } from "../marks/marks";
import type { CanvasTask } from "./model";
import { kindName } from "./TaskCard";

export type Near = { instruction: string; lines: readonly { term: string; name: string; note: string }[] };

/** Asked only for the card that is looked at; null where a screen has no more to tell. */
export const NearContext = createContext<((id: string) => Near | null) | null>(null);

export function NearCard({ task }: { task: CanvasTask }) {
  const near = useContext(NearContext)?.(task.id);
  if (!near) return null;
  return (
    <div className="near-card" data-testid="near-card">
      <div className="near-head">
        <KindTile kind={task.kind} />
        <div className="card-text">
          <b dir="auto">{visible(task.title)}</b>
          <span>{task.detail ? `${kindName(task.kind)} · ${visible(task.detail)}` : kindName(task.kind)}</span>
        </div>
      </div>
      <p className="near-text" dir="auto">
        {visible(near.instruction) || t.canvas.noInstruction}
      </p>
      <dl className="near-lines">
        {near.lines.map((line) => (
          <div key={`${line.term}${line.name}`}>
            <dt>{line.term}</dt>
            <dd>
              <b className="mono">{visible(line.name)}</b> {visible(line.note)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
