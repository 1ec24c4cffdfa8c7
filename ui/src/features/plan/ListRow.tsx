// One row of the list view: a wave, a task, or a task that lies inside a map or a subplan.
import { Check, CircleAlert, SkipForward, TriangleAlert, X } from "lucide-react";
import { Fragment, type MouseEvent, memo } from "react";
import { DIFF_ICON } from "../../components/canvas/CardMarks";
import { kindName } from "../../components/canvas/TaskCard";
import { IconButton } from "../../components/controls/controls";
import { AccessIcon, KindTile } from "../../components/marks/marks";
import type { NeedView, PieceView } from "../../ipc/bindings";
import { isLeftOut } from "../../state/cards";
import { choosePiece, dropPieces, takePieces, useProposal } from "../../state/proposal";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Fold } from "./ListWave";
import type { RowChange } from "./listChanges";
import type { Row } from "./listRows";
import { openMenu } from "./menuStore";
import { Laid } from "./Outline";

type Of<K extends Row["kind"]> = Extract<Row, { kind: K }>;

export function PlanHead({ index, span }: { index: number; span: number }) {
  return (
    <tr className="list-wave" aria-level={1} aria-rowindex={index}>
      <th colSpan={span} scope="colgroup">
        {t.versions.plan}
      </th>
    </tr>
  );
}

/** A proposed change of the plan itself, such as its goal or its cap. */
export function PieceRow({ piece, index, span }: { piece: PieceView; index: number; span: number }) {
  const isChosen = useProposal((s) => s.chosen === piece.id);
  const title = visible(t.proposal.field(piece.name));
  return (
    <tr
      className={`list-piece${isChosen ? " chosen" : ""}`}
      aria-level={2}
      aria-rowindex={index}
      aria-selected={isChosen}
      onClick={() => choosePiece(piece.id)}
      data-testid={`row-${piece.id}`}
    >
      <th scope="row">
        <b className="el">{title}</b>
      </th>
      <td colSpan={span - 1}>
        <div className="list-change">
          <ChangeWord kind="changed" word={t.proposal.marked.changed} fields={[]} />
          <TakeOrLeave piece={piece} title={title} isActive />
        </div>
      </td>
    </tr>
  );
}

function ChangeWord({ kind, word, fields }: Pick<RowChange, "kind" | "word" | "fields">) {
  const Icon = DIFF_ICON[kind];
  const text = fields.length > 0 ? `${word}: ${fields.join(", ")}` : word;
  return (
    <span className="list-change-word" title={visible(text)}>
      <span className={`diff-mark ${kind}`}>
        <Icon size={12} strokeWidth={2.25} aria-hidden="true" />
      </span>
      <span className="el">{visible(text)}</span>
    </span>
  );
}

function TakeOrLeave({ piece, title, isActive }: { piece: PieceView; title: string; isActive: boolean }) {
  const act = (what: (ids: string[]) => Promise<void>) => (event: MouseEvent) => {
    event.stopPropagation();
    void what([piece.id]);
  };
  return (
    <span className="list-take">
      {piece.why ? (
        <span className="tone-retrying el" title={visible(piece.why)}>
          {t.proposal.standing.moved}
        </span>
      ) : null}
      <IconButton
        size="small"
        label={t.proposal.leaveThis(title)}
        tabIndex={isActive ? 0 : -1}
        icon={<X size={14} />}
        onClick={act(dropPieces)}
        data-testid={`list-leave-${piece.id}`}
      />
      <IconButton
        size="small"
        label={t.proposal.takeThis(title)}
        tabIndex={isActive ? 0 : -1}
        disabled={piece.standing === "moved"}
        icon={<Check size={14} />}
        onClick={act(takePieces)}
        data-testid={`list-take-${piece.id}`}
      />
    </span>
  );
}

type InnerProps = { row: Of<"inner">; index: number; hasChanges: boolean; isActive: boolean; onPick: () => void };

export function InnerRow({ row, index, hasChanges, isActive, onPick }: InnerProps) {
  return (
    <tr
      className="list-inner"
      aria-level={3}
      aria-rowindex={index}
      tabIndex={isActive ? 0 : -1}
      data-row={row.key}
      onClick={onPick}
      data-testid={`row-${row.key}`}
    >
      <th scope="row">
        <span className="list-name">
          <KindTile kind={row.taskType} small />
          <span className="el" dir="auto" title={visible(row.title)}>
            {visible(row.title)}
          </span>
        </span>
      </th>
      {hasChanges ? <td /> : null}
      <td colSpan={6} className="inner-kind">
        {kindName(row.taskType)}
      </td>
    </tr>
  );
}

type Props = {
  row: Of<"task">;
  index: number;
  after: string[];
  feeds: string[];
  estimate: string;
  hasChanges: boolean;
  isChosen: boolean;
  isActive: boolean;
  canEdit: boolean;
  isClosed: boolean;
  onToggle: (id: string, close: boolean) => void;
  onPick: (event: MouseEvent) => void;
  onOpen: () => void;
};

export const TaskRow = memo(
  function TaskRow(props: Props) {
    const { row, index, after, feeds, isChosen, isActive, isClosed, onToggle, onPick, onOpen } = props;
    const { task, problem, change } = row;
    const title = visible(task.title || task.id);
    const Icon = problem?.severity === "error" ? CircleAlert : TriangleAlert;
    const onMenu = (event: MouseEvent) => {
      event.preventDefault();
      if (!isChosen) select([task.id]);
      if (!props.canEdit) return;
      openMenu({ what: "task", at: { x: event.clientX, y: event.clientY } });
    };
    return (
      <tr
        aria-level={2}
        aria-rowindex={index}
        aria-selected={isChosen}
        aria-expanded={row.hasInner ? !isClosed : undefined}
        tabIndex={isActive ? 0 : -1}
        className={`${isChosen ? "chosen" : ""}${change ? ` ${change.kind}` : ""}`}
        data-change={change?.kind}
        data-task={task.id}
        data-row={task.id}
        onClick={onPick}
        onDoubleClick={onOpen}
        onContextMenu={onMenu}
        data-testid={`row-${task.id}`}
      >
        <th scope="row">
          <span className="list-name">
            <KindTile kind={task.taskType} small />
            <b className="el" dir="auto" title={title}>
              {title}
            </b>
            {row.hasInner ? <Fold id={task.id} isClosed={isClosed} names={t.plan} onToggle={onToggle} /> : null}
            {isLeftOut(task.document) ? (
              <span className="tag">
                <SkipForward size={11} aria-hidden="true" />
                {t.plan.leftOut}
              </span>
            ) : null}
            <Laid task={task} />
          </span>
        </th>
        {props.hasChanges ? (
          <td>
            <div className="list-change">
              {change ? <ChangeWord {...change} /> : null}
              {change?.piece ? <TakeOrLeave piece={change.piece} title={title} isActive={isActive} /> : null}
            </div>
          </td>
        ) : null}
        <td className="col-kind">{kindName(task.taskType)}</td>
        <td title={visible(after.join(", "))}>
          <Names names={after} />
        </td>
        <td title={visible(feeds.join(", "))}>
          <Names names={feeds} />
        </td>
        <td className="list-touches col-touches">
          <Touches needs={task.needs} />
        </td>
        <td className="num col-estimate" title={props.estimate}>
          {props.estimate || "–"}
        </td>
        <td
          className={`col-problem ${problem?.severity === "error" ? "tone-failed" : "tone-retrying"}`}
          title={problem ? visible(problem.message) : undefined}
        >
          {problem ? (
            <>
              <Icon className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />{" "}
              {t.editor.list.problem[problem.code]}
            </>
          ) : null}
        </td>
      </tr>
    );
  },
  (a, b) =>
    a.row.task === b.row.task &&
    a.row.problem === b.row.problem &&
    a.row.change === b.row.change &&
    a.estimate === b.estimate &&
    a.hasChanges === b.hasChanges &&
    a.after === b.after &&
    a.feeds === b.feeds &&
    a.isChosen === b.isChosen &&
    a.isActive === b.isActive &&
    a.canEdit === b.canEdit &&
    a.isClosed === b.isClosed &&
    a.index === b.index,
);

/** Each runs in its own direction, so that a name from right to left turns nothing beside it. */
function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return "–";
  return names.map((name, ix) => (
    <Fragment key={name}>
      {ix > 0 ? ", " : null}
      <bdi>{visible(name)}</bdi>
    </Fragment>
  ));
}

/** By kind of access, with how many; what they are stands in the tooltip and is read out. */
function Touches({ needs }: { needs: readonly NeedView[] }) {
  if (needs.length === 0) return "–";
  const kinds = [...new Set(needs.map((need) => need.access))];
  return kinds.map((access) => {
    const those = needs.filter((need) => need.access === access);
    const what = visible(those.map((need) => need.resource).join(", "));
    const said = t.editor.list.touches(t.words.access[access], those.length);
    return (
      <span key={access} role="img" aria-label={`${said}. ${what}`} title={`${t.words.access[access]}: ${what}`}>
        <AccessIcon access={access} effect={those[0]?.effect ?? "read"} /> <span className="num">{those.length}</span>
      </span>
    );
  });
}
