// Which row of the list the keys act on, how it stays in view, and which rows of a long list are in the document at all. It
// draws nothing.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { Changed } from "./listChanges";
import { type Stop, taskOf } from "./listKeys";
import { type Row, rowsOf } from "./listRows";

const HEIGHT = { wave: 27, plan: 27, piece: 33, task: 33, inner: 29 };
const WINDOWED_FROM = 150;
const NONE: ReadonlySet<string> = new Set();

/** What is chosen from elsewhere, by a search or a key of the problems, is not hidden in a wave that was folded before. */
export function useOpened(
  changed: Changed,
  closed: ReadonlySet<string>,
  chosen: readonly string[],
  setClosed: (closed: ReadonlySet<string>) => void,
): void {
  const last = chosen[chosen.length - 1];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another task is chosen; folding it away is a person's right
  useEffect(() => {
    if (last === undefined || closed.size === 0) return;
    const holder = rowsOf(changed, NONE).find((row) => row.kind === "wave" && row.tasks.includes(last));
    if (holder && closed.has(holder.key)) setClosed(new Set([...closed].filter((key) => key !== holder.key)));
  }, [last]);
}

export function useWindow(rows: readonly Row[], box: React.RefObject<HTMLDivElement | null>) {
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

/**
 * The row that the keys act on: the one walked to, while nothing else is chosen since; else the task chosen last. Where it
 * is gone, the row that has taken its place.
 */
export function useActive(stops: readonly Stop[], chosen: readonly string[]) {
  const [at, walkTo] = useState<string | null>(null);
  const place = useRef(1);
  const last = chosen[chosen.length - 1];
  const holds = (row: Stop) =>
    last === undefined || (row.kind === "wave" ? row.tasks.every((id) => chosen.includes(id)) : taskOf(row) === last);
  const walked = stops.find((row) => row.key === at && holds(row));
  const picked = walked ?? stops.find((row) => row.kind === "task" && row.key === last);
  const active = picked ?? near(stops, place.current);
  if (active) place.current = stops.indexOf(active);
  return { active, walkTo };
}

/** A task rather than the row of its wave, which nobody has asked for. */
function near(stops: readonly Stop[], place: number): Stop | undefined {
  const here = Math.min(place, stops.length - 1);
  const around = [stops[here], stops[here + 1], stops[here - 1]];
  return around.find((row) => row !== undefined && row.kind !== "wave") ?? stops[here];
}

const MOST_FRAMES = 30;

/** The active row comes into view, and has the focus where the list had it; in a long plan once it has been drawn. */
export function useFollow(
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
