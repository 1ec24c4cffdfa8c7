// What a person has laid on the plan's tasks, said before the signature: outputs that are held, and where the run stops.
import { CirclePause, Pin } from "lucide-react";
import type { DraftView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";

export function Held({ view }: { view: DraftView }) {
  const laid = view.tasks.filter((task) => task.pinned || task.breakpoint);
  if (laid.length === 0) return null;
  return (
    <div className="warn-card" role="note" data-testid="held">
      <b>{t.holds.approvalTitle}</b>
      <ul>
        {laid.map((task) => {
          const name = visible(task.title || task.id);
          return (
            <li key={task.id} className="t2">
              {task.pinned ? (
                <span className="row">
                  <Pin className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
                  {t.holds.approvalPinned(name)}
                </span>
              ) : null}
              {task.breakpoint ? (
                <span className="row">
                  <CirclePause className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
                  {t.holds.approvalStops[task.breakpoint](name)}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
