// The plan as a tree grid: the canvas's twin for keyboard and screen reader, with the same selection and the same commands.
// A long plan is windowed: only the rows in view are in the document.
import { useVirtualizer } from "@tanstack/react-virtual";
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
import { InnerRow, PieceRow, PlanHead, TaskRow, WaveRow } from "./ListRow";
import { type Changed, linksOf } from "./listChanges";
import { listKeys, type Stop, taskOf } from "./listKeys";
import { between, type Row, rowsOf } from "./listRows";

type Props = { changed: Changed; estimates: ByTask; onOpen: () => void };

const HEIGHT = { wave: 27, plan: 27, piece: 33, task: 33, inner: 29 };
const WINDOWED_FROM = 150;
const NONE: ReadonlySet<string> = new Set();

export function ListView({ changed, estimates, onOpen }: Props) {
  const { view } = changed;
  const hasChanges = changed.byTask.size > 0 || changed.plan.length > 0;
  const columns = COLUMNS.filter((column) => column !== "change" || hasChanges);
  const chosen = useSelection((s) => s.tasks);
  const [closed, setClosed] = useState(NONE);
  const across = useAcross(view);
  const rows = useMemo(() => rowsOf(changed, closed, across), [changed, closed, across]);
  const stops = useMemo(() => rows.filter((row): row is Stop => row.kind === "task" || row.kind === "inner"), [rows]);
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
  useFollowPiece(active ? taskOf(active) : undefined, changed);
  const go = (row: Stop, extend: boolean) => {
    walkTo(row.key);
    const id = taskOf(row);
    select(extend ? [...chosen.filter((x) => x !== id), id] : [id]);
  };
  const onKeyDown = listKeys({ view, stops, active, chosen, go, fold: toggle, onOpen });
  if (rows.length === 0) return <Nothing canAdd={view.isDraft} />;
  return (
    <>
      <div className={`list-view${hasChanges ? " differs" : ""}`} data-testid="list-view" ref={box}>
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
            {shown.rows.map(({ row, ix }) => {
              if (row.kind === "wave") return <WaveRow key={row.key} row={row} index={ix + 2} span={columns.length} />;
              if (row.kind === "inner")
                return (
                  <InnerRow
                    key={row.key}
                    row={row}
                    index={ix + 2}
                    hasChanges={hasChanges}
                    isActive={row === active}
                    onPick={() => go(row, false)}
                  />
                );
              if (row.kind === "plan") return <PlanHead key={row.key} index={ix + 2} span={columns.length} />;
              if (row.kind === "piece")
                return <PieceRow key={row.key} piece={row.piece} index={ix + 2} span={columns.length} />;
              return (
                <TaskRow
                  key={row.key}
                  row={row}
                  index={ix + 2}
                  after={links.after.get(row.key) ?? NO_NAMES}
                  feeds={links.feeds.get(row.key) ?? NO_NAMES}
                  estimate={cardEstimate(estimates.get(row.key), row.task)}
                  hasChanges={hasChanges}
                  isChosen={chosen.includes(row.key)}
                  isActive={row === active}
                  canEdit={view.isDraft}
                  isClosed={closed.has(row.key)}
                  onToggle={toggle}
                  onPick={(event) => {
                    walkTo(row.key);
                    pick(event, row.key, order);
                  }}
                  onOpen={onOpen}
                />
              );
            })}
            <Space height={shown.below} />
          </tbody>
        </table>
      </div>
      <ListKeys hasChanges={hasChanges} canTake={view.isDraft} />
    </>
  );
}

const NO_NAMES: string[] = [];
const COLUMNS = ["task", "change", "kind", "after", "feeds", "touches", "estimate", "problem"] as const;

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

function useWindow(rows: readonly Row[], box: React.RefObject<HTMLDivElement | null>) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (ix) => HEIGHT[rows[ix]?.kind ?? "task"],
    getItemKey: (ix) => rows[ix]?.key ?? ix,
    overscan: 20,
    enabled: rows.length > WINDOWED_FROM,
  });
  if (rows.length <= WINDOWED_FROM) {
    return { rows: rows.map((row, ix) => ({ row, ix })), above: 0, below: 0, scrollTo: null };
  }
  const items = virtual.getVirtualItems();
  const found = items.flatMap(({ index }) => {
    const row = rows[index];
    return row ? [{ row, ix: index }] : [];
  });
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items[items.length - 1]?.end ?? 0);
  return { rows: found, above, below, scrollTo: (ix: number) => virtual.scrollToIndex(ix) };
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

/**
 * The row that the keys act on: the one walked to, while its task is the one chosen last; else that task. Where it is gone,
 * the row that has taken its place.
 */
function useActive(stops: readonly Stop[], chosen: readonly string[]) {
  const [at, walkTo] = useState<string | null>(null);
  const place = useRef(0);
  const last = chosen[chosen.length - 1];
  const walked = stops.find((row) => row.key === at && (last === undefined || taskOf(row) === last));
  const picked = walked ?? stops.find((row) => row.key === last);
  const active = picked ?? stops[Math.min(place.current, stops.length - 1)];
  if (active) place.current = stops.indexOf(active);
  return { active, walkTo };
}

const MOST_FRAMES = 30;

/** The active row comes into view, and has the focus where the list had it; in a long plan once it has been drawn. */
function useFollow(
  active: string | undefined,
  rows: readonly Row[],
  box: React.RefObject<HTMLDivElement | null>,
  scrollTo: ((ix: number) => void) | null,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another row becomes active
  useEffect(() => {
    const hadFocus = box.current?.contains(document.activeElement) ?? false;
    scrollTo?.(rows.findIndex((row) => row.key === active));
    let frame = 0;
    const follow = (left: number) => {
      const row = box.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(active ?? "")}"]`);
      if (!row && left > 0) frame = requestAnimationFrame(() => follow(left - 1));
      if (hadFocus) row?.focus({ preventScroll: scrollTo !== null });
      if (!scrollTo) row?.scrollIntoView?.({ block: "nearest" });
    };
    follow(scrollTo ? MOST_FRAMES : 0);
    return () => cancelAnimationFrame(frame);
  }, [active]);
}
