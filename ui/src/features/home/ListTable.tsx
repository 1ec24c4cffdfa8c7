// A list as a tree: each fork under what it was made from, foldable, with tags, what it takes on the disk and a box to choose
// it. Arrow keys go from row to row, Left and Right fold, as in any tree.
import { ChevronRight, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, memo, useMemo } from "react";
import { RunIcon } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { RunRow } from "../../ipc/bindings";
import { isLeft } from "../../state/decide";
import { choose, fold, useFinding } from "../../state/finding";
import { askDelete, askDeleteThese, beginRename, useKeeping } from "../../state/keeping";
import { openRow } from "../../state/open";
import { t } from "../../text";
import { bytes, took, visible, when } from "../../text/format";
import { nameId, RenameField, RowMenu } from "./RowActs";
import { costOf, isAsking, shortId, stateOf, toneOf } from "./RunTable";
import { beginTags, Tags } from "./Tags";
import { type Branch, treeOf } from "./tree";

/** Times in words change no faster. */
const TICK_MS = 30_000;

export function ListTable({ rows, label }: { rows: readonly RunRow[]; label: string }) {
  const now = useNow(TICK_MS);
  const folded = useFinding((s) => s.folded);
  const chosen = useFinding((s) => s.chosen);
  const branches = useMemo(() => treeOf(rows, folded), [rows, folded]);
  const isAll = rows.length > 0 && rows.every((row) => chosen.has(row.run));
  return (
    <table className="runs listed" role="treegrid" aria-label={label} aria-multiselectable="true" data-testid="runs">
      <thead>
        <tr>
          <td className="run-choose">
            <input
              type="checkbox"
              aria-label={t.lists.chooseAll}
              checked={isAll}
              onChange={(event) =>
                choose(
                  rows.map((row) => row.run),
                  event.target.checked,
                )
              }
              data-testid="choose-all"
            />
          </td>
          <td className="run-icon" />
          <th scope="col">{t.home.columns.name}</th>
          <th scope="col" className="row-state">
            {t.home.columns.state}
          </th>
          <th scope="col" className="run-when">
            {t.home.columns.when}
          </th>
          <th scope="col" className="align-right run-time">
            {t.home.columns.time}
          </th>
          <th scope="col" className="align-right run-cost">
            {t.home.columns.cost}
          </th>
          <th scope="col" className="align-right run-size">
            {t.lists.size}
          </th>
          <td className="run-acts" />
        </tr>
      </thead>
      <tbody>
        {branches.map((branch) => (
          <Row key={branch.row.run} {...branch} now={now} isChosen={chosen.has(branch.row.run)} />
        ))}
      </tbody>
    </table>
  );
}

const Row = memo(function Row({
  row,
  depth,
  forks,
  isFolded,
  now,
  isChosen,
}: Branch & { now: number; isChosen: boolean }) {
  const isRenaming = useKeeping((s) => s.renaming === row.run);
  const size = useFinding((s) => s.sizes.get(row.run));
  const isDraft = row.status === "AWAITING_APPROVAL";
  const title = visible(row.title);
  return (
    <tr
      aria-level={depth + 1}
      aria-expanded={forks > 0 ? !isFolded : undefined}
      aria-selected={isChosen}
      onClick={() => openRow(row)}
      data-testid={`run-${row.run}`}
      data-status={row.status}
    >
      <td className="run-choose">
        <input
          type="checkbox"
          aria-label={t.lists.choose(title)}
          checked={isChosen}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => choose([row.run], event.target.checked)}
          data-testid={`choose-${row.run}`}
        />
      </td>
      <td className="run-icon">
        {row.trouble ? (
          <TriangleAlert className="icon tone-failed" size={16} strokeWidth={1.75} aria-hidden="true" />
        ) : (
          <RunIcon status={isLeft(row) ? "PAUSED" : isAsking(row) ? "WAITING" : row.status} />
        )}
      </td>
      <th scope="row">
        <div className="run-line" data-depth={Math.min(depth, DEEPEST)}>
          {forks > 0 ? (
            <button
              type="button"
              className="run-fold"
              tabIndex={-1}
              aria-label={isFolded ? t.lists.unfold(title, forks) : t.lists.fold(title)}
              aria-expanded={!isFolded}
              onClick={(event) => {
                event.stopPropagation();
                fold(row.run, !isFolded);
              }}
              data-testid={`fold-${row.run}`}
            >
              <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" />
            </button>
          ) : null}
          {isRenaming ? (
            <RenameField row={row} />
          ) : (
            <button
              type="button"
              className="run-name"
              id={nameId(row.run)}
              onClick={(event) => {
                event.stopPropagation();
                openRow(row);
              }}
              onKeyDown={(event) => actByKey(event, row, forks, isFolded)}
            >
              <b className="el" dir="auto">
                {title}
              </b>
              <span className="t3 sm">{isDraft ? t.home.draft(row.revision) : t.home.run(shortId(row.run))}</span>
              {isFolded ? <span className="tag">{t.lists.forks(forks)}</span> : null}
            </button>
          )}
          <Tags row={row} />
        </div>
      </th>
      <td className={`row-state ${toneOf(row)}`}>{stateOf(row)}</td>
      <td className="t2 run-when">{when(row.changedAt, now)}</td>
      <td className="align-right num t2 run-time">{row.ranMs === null ? "–" : took(row.ranMs)}</td>
      <td className="align-right num run-cost" data-testid="cost">
        {costOf(row)}
      </td>
      <td className="align-right num t2 run-size" data-testid="size">
        {size === undefined ? "" : bytes(size)}
      </td>
      <td className="run-acts">
        <RowMenu row={row} onTags={() => beginTags(row.run)} />
      </td>
    </tr>
  );
});

const DEEPEST = 6;

function actByKey(event: KeyboardEvent<HTMLElement>, row: RunRow, forks: number, isFolded: boolean): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { chosen } = useFinding.getState();
  if (event.key === "F2") beginRename(row.run);
  else if (event.key === "#") beginTags(row.run);
  else if (event.key === "x") choose([row.run], !chosen.has(row.run));
  else if (event.key === "Delete") void (chosen.has(row.run) ? askDeleteThese([...chosen]) : askDelete(row));
  else if (event.key === "ArrowDown") step(event.currentTarget, 1);
  else if (event.key === "ArrowUp") step(event.currentTarget, -1);
  else if (event.key === "Home") step(event.currentTarget, Number.NEGATIVE_INFINITY);
  else if (event.key === "End") step(event.currentTarget, Number.POSITIVE_INFINITY);
  else if (event.key === "ArrowRight" && forks > 0) isFolded ? fold(row.run, false) : step(event.currentTarget, 1);
  else if (event.key === "ArrowLeft" && forks > 0 && !isFolded) fold(row.run, true);
  else if (event.key === "ArrowLeft" && row.parent !== null) document.getElementById(nameId(row.parent))?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** To another row's name. */
function step(from: HTMLElement, by: number): void {
  const names = [...(from.closest("tbody")?.querySelectorAll<HTMLElement>(".run-name") ?? [])];
  const at = names.indexOf(from) + by;
  names[Math.min(names.length - 1, Math.max(0, at))]?.focus();
}
