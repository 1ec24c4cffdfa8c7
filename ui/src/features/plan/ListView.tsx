// The plan as a tree grid: the canvas's twin for keyboard and screen reader, with the same selection and the same commands.
// A long plan is windowed: only the rows in view are in the document.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { printKeys } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { namesOf } from "../../state/cards";
import { type ByTask, cardEstimate } from "../../state/estimateTexts";
import { useProposal } from "../../state/proposal";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { InnerRow, PieceRow, PlanHead, TaskRow, WaveRow } from "./ListRow";
import { type Changed, linksOf } from "./listChanges";
import { between, type Row, rowsOf } from "./listRows";
import { openMenu } from "./menuStore";

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
  const rows = useMemo(() => rowsOf(changed, closed), [changed, closed]);
  const order = useMemo(() => rows.flatMap((row) => (row.kind === "task" ? [row.key] : [])), [rows]);
  const links = useMemo(() => linksOf(changed, namesOf(changed.view)), [changed]);
  const active = chosen[chosen.length - 1] ?? order[0];
  const box = useRef<HTMLDivElement>(null);
  const shown = useWindow(rows, box);
  useFollow(active, rows, box, shown.scrollTo);
  const toggle = (id: string, close: boolean) => {
    const next = new Set(closed);
    if (close) next.add(id);
    else next.delete(id);
    setClosed(next);
  };
  useFollowPiece(active, changed);
  const onKeyDown = useListKeys({ view, order, active, chosen, onOpen });
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
                return <InnerRow key={row.key} row={row} index={ix + 2} hasChanges={hasChanges} />;
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
                  isActive={row.key === active}
                  isClosed={closed.has(row.key)}
                  onToggle={toggle}
                  onPick={(event) => pick(event, row.key, order)}
                  onOpen={onOpen}
                />
              );
            })}
            <Space height={shown.below} />
          </tbody>
        </table>
      </div>
      <Keys hasChanges={hasChanges} canTake={view.isDraft} />
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

/** The active row comes into view, and has the focus where the list had it. */
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
    const follow = () => {
      const row = box.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(active ?? "")}"]`);
      if (hadFocus) row?.focus({ preventScroll: scrollTo !== null });
      if (!scrollTo) row?.scrollIntoView?.({ block: "nearest" });
    };
    if (!scrollTo) follow();
    else requestAnimationFrame(follow);
  }, [active]);
}

type KeyState = {
  view: DraftView;
  order: readonly string[];
  active: string | undefined;
  chosen: readonly string[];
  onOpen: () => void;
};

function useListKeys({ view, order, active, chosen, onOpen }: KeyState) {
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !active) return;
    if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      const place = (event.target as HTMLElement).getBoundingClientRect();
      if (view.isDraft) openMenu({ what: "task", at: { x: place.left + 40, y: place.bottom } });
      event.preventDefault();
      return;
    }
    const here = order.indexOf(active);
    const next: Record<string, string | undefined> = {
      ArrowDown: order[here + 1],
      ArrowUp: order[here - 1],
      Home: order[0],
      End: order[order.length - 1],
      ArrowLeft: view.edges.find((e) => e.to === active)?.from,
      ArrowRight: view.edges.find((e) => e.from === active)?.to,
    };
    // A button in the row has its own act.
    if (event.key === "Enter" && (event.target as HTMLElement).closest("button")) return;
    if (event.key === "Enter") onOpen();
    else if (event.key in next) {
      const to = next[event.key];
      if (to && event.shiftKey) select([...chosen.filter((id) => id !== to), to]);
      else if (to) select([to]);
    } else return;
    event.preventDefault();
  };
}

function Keys({ hasChanges, canTake }: { hasChanges: boolean; canTake: boolean }) {
  const w = t.plan.listKeys;
  const changing = [
    [`${printKeys("[")} ${printKeys("]")}`, w.change],
    ...(canTake ? [[`${printKeys("y")} ${printKeys("x")}`, w.take] as const] : []),
  ] as const;
  const keys = [
    ["↑ ↓", w.move],
    ["← →", w.follow],
    ...(hasChanges ? changing : []),
    [printKeys("enter"), w.open],
    ["E", w.connect],
    [printKeys("shift+e"), w.disconnect],
    ["F2", w.rename],
    [printKeys("delete"), w.remove],
    [printKeys("shift+f10"), w.menu],
    ["L", w.back],
  ] as const;
  return (
    <dl className="list-keys" aria-label={t.plan.keysTitle}>
      {keys.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
