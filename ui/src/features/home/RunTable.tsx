// Runs and drafts as rows: state, name, when, how long. A row opens its plan or its run.
import { TriangleAlert } from "lucide-react";
import type { KeyboardEvent } from "react";
import { RUN_TONE, RunIcon } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { RunRow } from "../../ipc/bindings";
import { isLeft } from "../../state/decide";
import { askDelete, beginRename, useKeeping } from "../../state/keeping";
import { openRow } from "../../state/open";
import { t } from "../../text";
import { spentText, took, visible, when } from "../../text/format";
import { nameId, RenameField, RowMenu } from "./RowActs";

export function RunTable({ runs, label }: { runs: readonly RunRow[]; label: string }) {
  const now = useNow(1000);
  return (
    <table className="runs" aria-label={label} data-testid="runs">
      <thead>
        <tr>
          <td className="run-icon" />
          <th scope="col">{t.home.columns.name}</th>
          <th scope="col">{t.home.columns.state}</th>
          <th scope="col" className="run-when">
            {t.home.columns.when}
          </th>
          <th scope="col" className="align-right run-time">
            {t.home.columns.time}
          </th>
          <th scope="col" className="align-right run-cost">
            {t.home.columns.cost}
          </th>
          <td className="run-acts" />
        </tr>
      </thead>
      <tbody>
        {runs.map((row) => (
          <Row key={row.run} row={row} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, now }: { row: RunRow; now: number }) {
  const isRenaming = useKeeping((s) => s.renaming === row.run);
  const isDraft = row.status === "AWAITING_APPROVAL";
  return (
    <tr onClick={() => openRow(row)} data-testid={`run-${row.run}`} data-status={row.status}>
      <td className="run-icon">
        {row.trouble ? (
          <TriangleAlert className="icon tone-failed" size={16} strokeWidth={1.75} aria-hidden="true" />
        ) : (
          <RunIcon status={isLeft(row) ? "PAUSED" : isAsking(row) ? "WAITING" : row.status} />
        )}
      </td>
      <th scope="row">
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
            onKeyDown={(event) => actByKey(event, row)}
          >
            <b className="el" dir="auto">
              {visible(row.title)}
            </b>
            <span className="t3 sm">{isDraft ? t.home.draft(row.revision) : t.home.run(shortId(row.run))}</span>
          </button>
        )}
      </th>
      <td className={toneOf(row)}>{stateOf(row)}</td>
      <td className="t2 run-when">{when(row.changedAt, now)}</td>
      <td className="align-right num t2 run-time">{row.ranMs === null ? "–" : took(row.ranMs)}</td>
      <td className="align-right num run-cost" data-testid="cost">
        {costOf(row)}
      </td>
      <td className="run-acts">
        <RowMenu row={row} />
      </td>
    </tr>
  );
}

function actByKey(event: KeyboardEvent, row: RunRow): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.key === "F2") beginRename(row.run);
  else if (event.key === "Delete") void askDelete(row);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** A planner has a question before it makes the plan. */
export function isAsking(row: RunRow): boolean {
  return row.status === "AWAITING_APPROVAL" && row.openDecisions > 0;
}

/** The end of an id is what differs between runs of the same minute. */
export function shortId(run: string): string {
  return run.length > 10 ? run.slice(-6) : run;
}

export function toneOf(row: RunRow): string {
  if (row.trouble) return "tone-failed";
  if (isAsking(row)) return "tone-waiting";
  const tone = RUN_TONE[row.status];
  return `tone-${tone}${tone === "idle" ? " t2" : ""}`;
}

/** A draft that nobody was asked for has cost nothing and says nothing. */
export function costOf(row: RunRow): string {
  const { zero, estimated, unknown } = row.spent;
  if (row.status === "AWAITING_APPROVAL" && zero + estimated + unknown === 0) return "–";
  return spentText(row.spent);
}

export function stateOf(row: RunRow): string {
  if (row.trouble) return t.home.trouble;
  const all = row.counts.reduce((sum, c) => sum + c.count, 0);
  const done = row.counts.find((c) => c.status === "COMPLETED")?.count ?? 0;
  const word = isLeft(row) ? t.run.left : t.words.runStatus[row.status];
  if (isAsking(row)) return t.home.plannerAsks;
  if (row.status === "AWAITING_APPROVAL") return `${word}, ${t.home.tasks(all)}`;
  return row.status === "SUCCEEDED" ? word : `${word}, ${t.home.done(done, all)}`;
}
