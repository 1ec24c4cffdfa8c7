// The row of a wave in the list view, and the button that folds it, or a map.
import { ChevronDown, ChevronRight, CircleAlert, TriangleAlert } from "lucide-react";
import { t } from "../../text";
import type { Row } from "./listRows";

type WaveProps = {
  row: Extract<Row, { kind: "wave" }>;
  index: number;
  span: number;
  isActive: boolean;
  onToggle: (key: string, close: boolean) => void;
  onPick: () => void;
};

/** What is folded away still says whether something is wrong with it. */
export function WaveRow({ row, index, span, isActive, onToggle, onPick }: WaveProps) {
  const [name, note] = t.plan.waveRow(row.wave, row.tasks.length);
  const isWrong = row.problems.some((problem) => problem.severity === "error");
  const Icon = isWrong ? CircleAlert : TriangleAlert;
  return (
    <tr
      className="list-wave"
      aria-level={1}
      aria-rowindex={index}
      aria-expanded={!row.isClosed}
      tabIndex={isActive ? 0 : -1}
      data-row={row.key}
      onClick={onPick}
      onDoubleClick={() => onToggle(row.key, !row.isClosed)}
      data-testid={`row-wave-${row.wave}`}
    >
      <th colSpan={span} scope="rowgroup">
        <span className="list-wave-name">
          <Fold id={row.key} isClosed={row.isClosed} names={t.editor.list.wave} onToggle={onToggle} />
          {name} <span className="t3">{note}</span>
          {row.isClosed && row.problems.length > 0 ? (
            <span className={isWrong ? "tone-failed" : "tone-retrying"}>
              <Icon className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />{" "}
              {t.shell.problems(row.problems.length)}
            </span>
          ) : null}
        </span>
      </th>
    </tr>
  );
}

type FoldProps = {
  id: string;
  isClosed: boolean;
  names: { fold: string; unfold: string };
  onToggle: (key: string, close: boolean) => void;
};

export function Fold({ id, isClosed, names, onToggle }: FoldProps) {
  return (
    <button
      type="button"
      className="list-fold"
      tabIndex={-1}
      aria-label={isClosed ? names.unfold : names.fold}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(id, !isClosed);
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      data-testid={`fold-${id}`}
    >
      {isClosed ? <ChevronRight size={13} aria-hidden="true" /> : <ChevronDown size={13} aria-hidden="true" />}
    </button>
  );
}
