// The plan's tasks by wave, as a short list: a click or the arrows choose one, on the canvas too.
import { CirclePause, Pin } from "lucide-react";
import { type KeyboardEvent, useMemo } from "react";
import { KindTile } from "../../components/marks/marks";
import type { DraftTask, DraftView } from "../../ipc/bindings";
import { selectAndShow, useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { unchanged } from "./listChanges";
import { rowsOf } from "./listRows";

/** Beyond this the list view, which holds only what is in view, is the place to look. */
const MOST = 400;
const NONE: ReadonlySet<string> = new Set();

export function Outline({ view }: { view: DraftView }) {
  const chosen = useSelection((s) => s.tasks);
  const rows = useMemo(() => rowsOf(unchanged(view), NONE).filter((row) => row.kind !== "inner"), [view]);
  const shown = rows.slice(0, MOST);
  const ids = shown.flatMap((row) => (row.kind === "task" ? [row.key] : []));
  const active = ids.find((id) => chosen.includes(id)) ?? ids[0];
  if (view.tasks.length === 0) return <p className="left-none t3 sm">{t.versions.outlineEmpty}</p>;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && ids[ids.indexOf(active ?? "") + step];
    if (!next) return;
    event.preventDefault();
    selectAndShow([next]);
    document.getElementById(`outline-${next}`)?.focus();
  };
  return (
    <ul className="outline" aria-label={t.versions.outline} onKeyDown={onKeyDown} data-testid="outline">
      {shown.map((row) =>
        row.kind === "wave" ? (
          <li key={row.key} className="outline-wave xs t3">
            {t.canvas.wave(row.wave)}
          </li>
        ) : row.kind === "task" ? (
          <li key={row.key}>
            <Item task={row.task} isChosen={chosen.includes(row.key)} isActive={row.key === active} />
          </li>
        ) : null,
      )}
      {rows.length > MOST ? <li className="outline-wave xs t3">{t.canvas.more(rows.length - MOST)}</li> : null}
    </ul>
  );
}

function Item({ task, isChosen, isActive }: { task: DraftTask; isChosen: boolean; isActive: boolean }) {
  return (
    <button
      type="button"
      id={`outline-${task.id}`}
      className={`outline-item${isChosen ? " chosen" : ""}`}
      aria-current={isChosen ? "true" : undefined}
      tabIndex={isActive ? 0 : -1}
      onClick={() => selectAndShow([task.id])}
      data-testid={`outline-${task.id}`}
    >
      <KindTile kind={task.taskType} small />
      <span className="el grow" dir="auto">
        {visible(task.title || task.id)}
      </span>
      <Laid task={task} />
    </button>
  );
}

/** What a person has laid on the task for the run to come. */
export function Laid({ task }: { task: DraftTask }) {
  const stop = task.breakpoint ? t.holds.stops[task.breakpoint] : "";
  return (
    <>
      {task.pinned ? (
        <span className="laid-mark" role="img" aria-label={t.holds.pinned} title={t.holds.pinned}>
          <Pin size={13} strokeWidth={1.75} aria-hidden="true" />
        </span>
      ) : null}
      {stop ? (
        <span className="laid-mark" role="img" aria-label={stop} title={stop}>
          <CirclePause size={13} strokeWidth={1.75} aria-hidden="true" />
        </span>
      ) : null}
    </>
  );
}
