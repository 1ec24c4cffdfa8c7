// A map as a frame, 216 × 144: its name and how many items are over, the card that runs for each item, and at its foot a cell for
// each item. What it draws is bounded: few items are cells, many are shares of one bar.
import { ListOrdered } from "lucide-react";
import { memo } from "react";
import { visible } from "../../text/format";
import { KindTile, STATUS_TONE } from "../marks/marks";
import type { CanvasTask, Items, MapFrame } from "./model";
import { kindName, Strip } from "./TaskCard";

export const MapCard = memo(function MapCard({ task, frame }: { task: CanvasTask; frame: MapFrame }) {
  return (
    <>
      <div className="map-head">
        <KindTile kind={task.kind} small />
        <b className="el" title={visible(task.title)} dir="auto">
          {visible(task.title)}
        </b>
        {frame.items ? <span>{frame.items.label}</span> : null}
      </div>
      <div className="map-inner">
        <div className="card-head">
          <KindTile kind={frame.kind} small />
          <div className="card-text">
            <b dir="auto">{visible(frame.title)}</b>
            <span>{frame.detail ? `${kindName(frame.kind)} · ${visible(frame.detail)}` : kindName(frame.kind)}</span>
          </div>
        </div>
        <Strip task={task} />
      </div>
      <div className="map-foot">
        {frame.items ? (
          <ItemCells items={frame.items} />
        ) : (
          <>
            <ListOrdered className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />
            {[frame.atATime, frame.collects].filter(Boolean).join(" · ")}
          </>
        )}
      </div>
    </>
  );
});

/** Read out as part of the card's label, so it is only looked at. */
function ItemCells({ items }: { items: Items }) {
  return (
    <div className={`map-items${items.shares.length > 0 ? " many" : ""}`} aria-hidden="true" data-testid="map-items">
      {items.cells.map((status, ix) => (
        <i key={ix} className={`item-cell s-${STATUS_TONE[status]}`} />
      ))}
      {items.shares.map(({ status, count }) => (
        <i key={status} className={`item-cell s-${STATUS_TONE[status]}`} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}
