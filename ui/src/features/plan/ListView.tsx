// The plan as a tree grid: the canvas's twin for keyboard and screen reader, with the same selection and the same commands.
// A long plan is windowed: only the rows in view are in the document.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { printKeys } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { namesOf, neighbours } from "../../state/cards";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { InnerRow, TaskRow, WaveRow } from "./ListRow";
import { between, type Row, rowsOf } from "./listRows";
import { openMenu } from "./menuStore";

type Props = { view: DraftView; onOpen: () => void };

const HEIGHT = { wave: 27, task: 33, inner: 29 };
const WINDOWED_FROM = 150;
const NONE: ReadonlySet<string> = new Set();

export function ListView({ view, onOpen }: Props) {
  const chosen = useSelection((s) => s.tasks);
  const [closed, setClosed] = useState(NONE);
  const rows = useMemo(() => rowsOf(view, closed), [view, closed]);
  const order = useMemo(() => rows.flatMap((row) => (row.kind === "task" ? [row.key] : [])), [rows]);
  const links = useMemo(() => neighbours(view.edges, namesOf(view)), [view]);
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
  const onKeyDown = useListKeys({ view, order, active, chosen, onOpen });
  return (
    <>
      <div className="list-view" data-testid="list-view" ref={box}>
        <table
          role="treegrid"
          aria-label={t.plan.listTitle}
          aria-rowcount={rows.length + 1}
          aria-multiselectable="true"
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr>
              {Object.values(t.plan.listColumns).map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space height={shown.above} />
            {shown.rows.map(({ row, ix }) => {
              if (row.kind === "wave") return <WaveRow key={row.key} row={row} index={ix + 2} />;
              if (row.kind === "inner") return <InnerRow key={row.key} row={row} index={ix + 2} />;
              return (
                <TaskRow
                  key={row.key}
                  row={row}
                  index={ix + 2}
                  after={links.after.get(row.key) ?? NO_NAMES}
                  feeds={links.feeds.get(row.key) ?? NO_NAMES}
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
      <Keys />
    </>
  );
}

const NO_NAMES: string[] = [];

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
    if (event.key === "Enter") onOpen();
    else if (event.key in next) {
      const to = next[event.key];
      if (to && event.shiftKey) select([...chosen.filter((id) => id !== to), to]);
      else if (to) select([to]);
    } else return;
    event.preventDefault();
  };
}

function Keys() {
  const w = t.plan.listKeys;
  const keys = [
    ["↑ ↓", w.move],
    ["← →", w.follow],
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
