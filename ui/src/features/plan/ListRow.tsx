// One row of the list view: a wave, a task, or a task that lies inside a map or a subplan.
import { ChevronDown, ChevronRight, CircleAlert, SkipForward, TriangleAlert } from "lucide-react";
import { type MouseEvent, memo } from "react";
import { kindName } from "../../components/canvas/TaskCard";
import { AccessIcon, KindTile } from "../../components/marks/marks";
import { isLeftOut } from "../../state/cards";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import type { Row } from "./listRows";
import { openMenu } from "./menuStore";
import { Laid } from "./Outline";

type Of<K extends Row["kind"]> = Extract<Row, { kind: K }>;

export function WaveRow({ row, index }: { row: Of<"wave">; index: number }) {
  const [name, note] = t.plan.waveRow(row.wave, row.count);
  return (
    <tr className="list-wave" aria-level={1} aria-expanded="true" aria-rowindex={index}>
      <th colSpan={6} scope="colgroup">
        {name} <span className="t3">{note}</span>
      </th>
    </tr>
  );
}

export function InnerRow({ row, index }: { row: Of<"inner">; index: number }) {
  return (
    <tr className="list-inner" aria-level={3} aria-rowindex={index} onClick={() => select([row.of])}>
      <th scope="row">
        <span className="list-name">
          <KindTile kind={row.taskType} small />
          <span className="el" dir="auto">
            {visible(row.title)}
          </span>
        </span>
      </th>
      <td colSpan={5}>{kindName(row.taskType)}</td>
    </tr>
  );
}

type Props = {
  row: Of<"task">;
  index: number;
  after: string[];
  feeds: string[];
  isChosen: boolean;
  isActive: boolean;
  isClosed: boolean;
  onToggle: (id: string, close: boolean) => void;
  onPick: (event: MouseEvent) => void;
  onOpen: () => void;
};

export const TaskRow = memo(
  function TaskRow({ row, index, after, feeds, isChosen, isActive, isClosed, onToggle, onPick, onOpen }: Props) {
    const { task, problem } = row;
    const Icon = problem?.severity === "error" ? CircleAlert : TriangleAlert;
    const onMenu = (event: MouseEvent) => {
      event.preventDefault();
      if (!isChosen) select([task.id]);
      openMenu({ what: "task", at: { x: event.clientX, y: event.clientY } });
    };
    return (
      <tr
        aria-level={2}
        aria-rowindex={index}
        aria-selected={isChosen}
        aria-expanded={row.hasInner ? !isClosed : undefined}
        tabIndex={isActive ? 0 : -1}
        className={isChosen ? "chosen" : ""}
        data-task={task.id}
        onClick={onPick}
        onDoubleClick={onOpen}
        onContextMenu={onMenu}
        data-testid={`row-${task.id}`}
      >
        <th scope="row">
          <span className="list-name">
            <KindTile kind={task.taskType} small />
            <b className="el" dir="auto">
              {visible(task.title || task.id)}
            </b>
            {row.hasInner ? <Fold id={task.id} isClosed={isClosed} onToggle={onToggle} /> : null}
            {isLeftOut(task.document) ? (
              <span className="tag">
                <SkipForward size={11} aria-hidden="true" />
                {t.plan.leftOut}
              </span>
            ) : null}
            <Laid task={task} />
          </span>
        </th>
        <td>{kindName(task.taskType)}</td>
        <td title={after.join(", ")}>{visible(after.join(", ")) || "–"}</td>
        <td title={feeds.join(", ")}>{visible(feeds.join(", ")) || "–"}</td>
        <td className="list-touches">
          {task.needs.length === 0
            ? "–"
            : task.needs.map((need, ix) => (
                <span key={ix} title={`${t.words.access[need.access]}: ${need.resource}`}>
                  <AccessIcon access={need.access} effect={need.effect} />
                </span>
              ))}
        </td>
        <td className={problem?.severity === "error" ? "tone-failed" : "tone-retrying"} title={problem?.message}>
          {problem ? (
            <>
              <Icon className="icon" size={13} strokeWidth={1.75} aria-hidden="true" /> {visible(problem.message)}
            </>
          ) : null}
        </td>
      </tr>
    );
  },
  (a, b) =>
    a.row.task === b.row.task &&
    a.row.problem === b.row.problem &&
    a.after === b.after &&
    a.feeds === b.feeds &&
    a.isChosen === b.isChosen &&
    a.isActive === b.isActive &&
    a.isClosed === b.isClosed &&
    a.index === b.index,
);

function Fold({ id, isClosed, onToggle }: { id: string; isClosed: boolean; onToggle: Props["onToggle"] }) {
  return (
    <button
      type="button"
      className="list-fold"
      tabIndex={-1}
      aria-label={isClosed ? t.plan.unfold : t.plan.fold}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(id, !isClosed);
      }}
    >
      {isClosed ? <ChevronRight size={13} aria-hidden="true" /> : <ChevronDown size={13} aria-hidden="true" />}
    </button>
  );
}
