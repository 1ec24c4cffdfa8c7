// The plan as a tree grid: the canvas's twin for keyboard and screen reader, with the same selection and the same commands.
// A long plan is windowed: only the rows in view are in the document.
import { type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { directionNow } from "../../components/canvas/direction";
import { placeAll } from "../../components/canvas/places";
import type { DraftView } from "../../ipc/bindings";
import { namesOf } from "../../state/cards";
import { type ByTask, cardEstimate } from "../../state/estimateTexts";
import { useProposal } from "../../state/proposal";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { Nothing } from "./ListEmpty";
import { ListKeys } from "./ListKeyLegend";
import { InnerRow, PieceRow, PlanHead, TaskRow } from "./ListRow";
import { WaveRow } from "./ListWave";
import { type Changed, linksOf } from "./listChanges";
import { useActive, useFollow, useOpened, useWindow } from "./listFocus";
import { listKeys, type Stop, taskOf } from "./listKeys";
import { between, type Row, rowsOf } from "./listRows";

type Props = { changed: Changed; estimates: ByTask; onOpen: () => void };

const NONE: ReadonlySet<string> = new Set();

export function ListView({ changed, estimates, onOpen }: Props) {
  const { view } = changed;
  const hasChanges = changed.byTask.size > 0 || changed.plan.length > 0;
  const columns = COLUMNS.filter((column) => column !== "change" || hasChanges);
  const chosen = useSelection((s) => s.tasks);
  const [closed, setClosed] = useState(NONE);
  const across = useAcross(view);
  const rows = useMemo(() => rowsOf(changed, closed, across), [changed, closed, across]);
  const stops = useMemo(
    () => rows.filter((row): row is Stop => row.kind === "wave" || row.kind === "task" || row.kind === "inner"),
    [rows],
  );
  const order = useMemo(() => stops.flatMap((row) => (row.kind === "task" ? [row.key] : [])), [stops]);
  const links = useMemo(() => linksOf(changed, namesOf(changed.view)), [changed]);
  const { active, walkTo } = useActive(stops, chosen);
  const box = useRef<HTMLDivElement>(null);
  const shown = useWindow(rows, box);
  useFollow(active?.key, rows, box, shown.scrollTo);
  const toggle = (id: string, close: boolean) => {
    const next = new Set(closed);
    if (close) next.add(id);
    else next.delete(id);
    setClosed(next);
  };
  useOpened(changed, closed, chosen, setClosed);
  useFollowPiece((active && taskOf(active)) ?? undefined, changed);
  const go = (row: Stop, extend: boolean) => {
    walkTo(row.key);
    const id = taskOf(row);
    if (id !== null) select(extend ? [...chosen.filter((x) => x !== id), id] : [id]);
    else if (!extend) select([]);
  };
  const onKeyDown = listKeys({ view, stops, active, chosen, go, closed, fold: toggle, onOpen });
  const list: List = {
    columns: columns.length,
    hasChanges,
    active,
    chosen,
    links,
    estimates,
    closed,
    canEdit: view.isDraft,
    go,
    toggle,
    onOpen,
    onPick: (event, key) => {
      walkTo(key);
      pick(event, key, order);
    },
  };
  if (rows.length === 0) return <Nothing canAdd={view.isDraft} />;
  return (
    <>
      <div
        className={`list-view${hasChanges ? " differs" : ""}${rows.some(hasProblem) ? "" : " sound"}`}
        data-testid="list-view"
        ref={box}
      >
        <table
          role="treegrid"
          aria-label={t.plan.listTitle}
          aria-rowcount={rows.length + 1}
          aria-multiselectable="true"
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className={`col-${column}`}>
                  {t.plan.listColumns[column]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space height={shown.above} />
            {shown.rows.map(({ row, ix }) => (
              <Line key={row.key} row={row} index={ix + 2} list={list} />
            ))}
            <Space height={shown.below} />
          </tbody>
        </table>
      </div>
      <ListKeys hasChanges={hasChanges} canTake={view.isDraft} />
    </>
  );
}

/** What all rows have in common. */
type List = {
  columns: number;
  hasChanges: boolean;
  active: Stop | undefined;
  chosen: readonly string[];
  links: ReturnType<typeof linksOf>;
  estimates: ByTask;
  closed: ReadonlySet<string>;
  canEdit: boolean;
  go: (row: Stop, extend: boolean) => void;
  toggle: (key: string, close: boolean) => void;
  onOpen: () => void;
  onPick: (event: MouseEvent, key: string) => void;
};

function Line({ row, index, list }: { row: Row; index: number; list: List }) {
  const { columns: span, hasChanges, links, toggle, onOpen } = list;
  const isActive = row === list.active;
  switch (row.kind) {
    case "wave":
      return <WaveRow {...{ row, index, span, isActive }} onToggle={toggle} onPick={() => list.go(row, false)} />;
    case "inner":
      return <InnerRow {...{ row, index, hasChanges, isActive }} onPick={() => list.go(row, false)} />;
    case "plan":
      return <PlanHead index={index} span={span} />;
    case "piece":
      return <PieceRow piece={row.piece} index={index} span={span} />;
    case "task":
      return (
        <TaskRow
          {...{ row, index, hasChanges, isActive, onOpen }}
          after={links.after.get(row.key) ?? NO_NAMES}
          feeds={links.feeds.get(row.key) ?? NO_NAMES}
          estimate={cardEstimate(list.estimates.get(row.key), row.task)}
          isChosen={list.chosen.includes(row.key)}
          canEdit={list.canEdit}
          isClosed={list.closed.has(row.key)}
          onToggle={toggle}
          onPick={(event) => list.onPick(event, row.key)}
        />
      );
  }
}

const NO_NAMES: string[] = [];
const COLUMNS = ["task", "change", "kind", "after", "feeds", "touches", "estimate", "problem"] as const;

/** A wave that is folded says so of its tasks. */
const hasProblem = (row: Row) =>
  row.kind === "task" ? row.problem !== null : row.kind === "wave" && row.problems.length > 0;

/** What is taken or left by its key is the change of the row that is looked at. */
function useFollowPiece(active: string | undefined, changed: Changed): void {
  const piece = active === undefined ? null : (changed.byTask.get(active)?.piece ?? null);
  const id = useSelection((s) => s.tasks.length) > 0 ? piece?.id : undefined;
  useEffect(() => {
    if (id !== undefined && useProposal.getState().chosen !== id) useProposal.setState({ chosen: id });
  }, [id]);
}

function Space({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden="true" style={{ height }} /> : null;
}

function pick(event: MouseEvent, id: string, order: readonly string[]): void {
  const { tasks } = useSelection.getState();
  const last = tasks[tasks.length - 1];
  if (event.shiftKey && last) select([...new Set([...tasks, ...between(order, last, id)])]);
  else if (event.ctrlKey || event.metaKey) select(tasks.includes(id) ? tasks.filter((x) => x !== id) : [...tasks, id]);
  else select([id]);
}

/** Where each card lies in its wave. */
function useAcross(view: DraftView): (id: string) => number {
  const { tasks, edges } = view;
  return useMemo(() => {
    const places = placeAll(tasks, edges);
    const isDown = directionNow() === "down";
    return (id) => (isDown ? places.get(id)?.x : places.get(id)?.y) ?? 0;
  }, [tasks, edges]);
}
