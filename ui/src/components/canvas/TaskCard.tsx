// A task as a card, 216 × 72: tile, title, sub-line, strip, badge. Used on the canvas, in the gallery and under the pointer.
import { CircleAlert, Hand, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { Access, Effect } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";
import { AccessIcon, KindIcon, KindTile, STATUS_TONE, StatusIcon } from "../marks/marks";
import { CountDown, Elapsed, WaitLine } from "../marks/time";
import { CardMarks } from "./CardMarks";
import { ChangeTab } from "./ChangeTab";
import type { ZoomLevel } from "./level";
import { MapCard } from "./MapCard";
import type { CanvasTask } from "./model";

type Props = {
  task: CanvasTask;
  isSelected?: boolean;
  isLit?: boolean;
  isDim?: boolean;
  ports?: boolean;
  level?: ZoomLevel;
};

export const TaskCard = memo(function TaskCard({
  task,
  isSelected = false,
  isLit = false,
  isDim = false,
  ports = false,
  level = "mid",
}: Props) {
  const marks = `${isSelected ? " selected" : ""}${isLit ? " lit" : ""}${isDim ? " dim" : ""}${task.isTainted ? " tainted" : ""}${task.diff ? ` d-${task.diff}` : ""}${task.change ? ` change-${task.change}` : ""}`;
  return (
    <div className={`card${task.kind === "map" ? " map" : ""} s-${STATUS_TONE[task.status]}${marks}`}>
      {level === "mid" || level === "near" ? (
        task.frame ? (
          <MapCard task={task} frame={task.frame} />
        ) : (
          <Whole task={task} />
        )
      ) : level === "dot" ? null : (
        <Far task={task} hasTitle={level === "far"} />
      )}
      {task.change && level !== "dot" ? <ChangeTab change={task.change} /> : null}
      {task.badge && level !== "dot" ? <Badge badge={task.badge} /> : null}
      <CardMarks task={task} level={level} />
      {task.mark ? (
        <span className={`card-mark ${task.mark.place}${task.mark.tone ? ` ${task.mark.tone}` : ""}`}>
          {task.mark.text}
        </span>
      ) : null}
      {ports ? (
        <>
          <i className="port in" />
          <i className="port out" />
        </>
      ) : null}
    </div>
  );
});

function Whole({ task }: { task: CanvasTask }) {
  return (
    <>
      <div className="card-head">
        <KindTile kind={task.kind} />
        <div className="card-text">
          <b title={visible(task.title)} dir="auto">
            {visible(task.title)}
          </b>
          <span>{task.detail ? `${kindName(task.kind)} · ${visible(task.detail)}` : kindName(task.kind)}</span>
        </div>
      </div>
      <Strip task={task} />
    </>
  );
}

/** Zoomed out: the fill of the state, the icon, and the title while it can be read. */
function Far({ task, hasTitle }: { task: CanvasTask; hasTitle: boolean }) {
  return (
    <div className="card-far">
      <KindIcon kind={task.kind} />
      {hasTitle ? <b dir="auto">{visible(task.title)}</b> : null}
      {hasTitle && task.status !== "DRAFT" ? (
        <span className="card-state">
          <StatusIcon status={task.status} />
        </span>
      ) : null}
    </div>
  );
}

export function kindName(kind: string): string {
  return t.words.kind[kind] ?? visible(kind);
}

export function Strip({ task }: { task: CanvasTask }) {
  return (
    <div className="card-strip">
      <span className="card-state">
        {task.status === "DRAFT" ? <DraftLeft task={task} /> : <LiveLeft task={task} />}
      </span>
      <span className="el">
        {task.since !== null ? (
          <Elapsed since={task.since} />
        ) : task.until !== null ? (
          <CountDown until={task.until} prefix={task.right} />
        ) : (
          task.right
        )}
      </span>
      {task.until !== null && task.status === "RETRYING" ? <WaitLine key={task.until} until={task.until} /> : null}
    </div>
  );
}

function LiveLeft({ task }: { task: CanvasTask }) {
  return (
    <>
      <StatusIcon status={task.status} />
      <b className="el">{task.left}</b>
    </>
  );
}

function DraftLeft({ task }: { task: CanvasTask }) {
  if (task.grants.length === 0) {
    return (
      <>
        {task.kind === "human" ? <Hand className="icon" size={13} strokeWidth={1.75} aria-hidden="true" /> : null}
        {task.left}
      </>
    );
  }
  return task.grants.map((grant) => (
    <span className="card-grant" key={grant.access}>
      <AccessIcon access={grant.access as Access} effect={grant.effect as Effect} />
      {grant.count}
    </span>
  ));
}

function Badge({ badge }: { badge: NonNullable<CanvasTask["badge"]> }) {
  const Icon = badge.severity === "error" ? CircleAlert : TriangleAlert;
  return (
    <span className={`card-badge ${badge.severity}`}>
      <Icon size={12} strokeWidth={2} aria-hidden="true" />
      {badge.count}
    </span>
  );
}
