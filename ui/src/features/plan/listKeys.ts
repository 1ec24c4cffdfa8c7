// The keys of the list: walking over its rows, choosing, folding, and what the row that is walked to is good for. The acts
// themselves are the editor's keys; here the row is chosen for them first. A row that can be folded is folded and opened by
// Left and Right, as in any tree; on all others these lead along the plan's edges.
import type { KeyboardEvent } from "react";
import { usualOf } from "../../components/controls/keymap";
import { keyOf } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { select } from "../../state/selection";
import { swapInWave } from "./arranging";
import type { Row } from "./listRows";
import { openMenu } from "./menuStore";
import { KIND_KEYS } from "./templates";

/** A row that can be walked to. */
export type Stop = Extract<Row, { kind: "wave" | "task" | "inner" }>;

/** The task that the row is, or is inside of; a wave is none. */
export const taskOf = (row: Stop): string | null =>
  row.kind === "wave" ? null : row.kind === "inner" ? row.of : row.key;

type State = {
  view: DraftView;
  stops: readonly Stop[];
  active: Stop | undefined;
  chosen: readonly string[];
  go: (row: Stop, extend: boolean) => void;
  closed: ReadonlySet<string>;
  fold: (key: string, close: boolean) => void;
  onOpen: () => void;
};

const ON_TASK = new Set([
  ...Object.values(KIND_KEYS),
  ..."f2 delete backspace e shift+e d p b i ctrl+c ctrl+x ctrl+d ctrl+g ctrl+shift+g ctrl+.".split(" "),
]);

/** Whether the key was the list's own. */
function act(key: string, event: KeyboardEvent, state: State, active: Stop): boolean {
  const { view, chosen, onOpen } = state;
  const task = taskOf(active);
  const choose = () => task === null || chosen.includes(task) || select([task]);
  const target = event.target as HTMLElement;
  if ((key === "enter" || key === "space") && target.closest("button")) return false;
  if (task === null && actOnWave(key, state, active)) return true;
  if (key === "contextmenu" || key === "shift+f10") {
    choose();
    const place = target.getBoundingClientRect();
    if (view.isDraft && task !== null) openMenu({ what: "task", at: { x: place.left + 40, y: place.bottom } });
    return true;
  }
  if (key === "enter") {
    choose();
    onOpen();
    return true;
  }
  if ((key === "space" || key === "ctrl+space") && task !== null) {
    select(chosen.includes(task) ? chosen.filter((id) => id !== task) : [...chosen, task]);
    return true;
  }
  if (key === "alt+arrowup" || key === "alt+arrowdown") {
    const mate = view.isDraft ? mateOf(active, state.stops, key === "alt+arrowup" ? -1 : 1) : null;
    if (mate && task !== null) void swapInWave(task, mate);
    return true;
  }
  return folds(key, state, active) || walk(key, state, active);
}

/** A wave is folded, or chosen with all that it has. */
function actOnWave(key: string, { stops, fold, closed, chosen, go }: State, active: Stop): boolean {
  if (active.kind !== "wave") return false;
  const isClosed = closed.has(active.key);
  const all = active.tasks.every((id) => chosen.includes(id));
  const first = stops[stops.indexOf(active) + 1];
  const acts: Record<string, () => unknown> = {
    enter: () => fold(active.key, !isClosed),
    space: () => select(all ? [] : active.tasks),
    arrowleft: () => fold(active.key, true),
    arrowright: () => (isClosed ? fold(active.key, false) : first && first.kind !== "wave" && go(first, false)),
  };
  acts[key]?.();
  return key in acts;
}

/** Left and Right fold and open what can be; with Alt, what holds the row. */
function folds(key: string, { stops, fold, closed, go }: State, active: Stop): boolean {
  const isLeft = key === "arrowleft" || key === "alt+arrowleft";
  if (!isLeft && key !== "arrowright" && key !== "alt+arrowright") return false;
  const isAlt = key.startsWith("alt+");
  if (active.kind === "task" && active.hasInner && closed.has(active.key) !== isLeft) {
    fold(active.key, isLeft);
    return true;
  }
  if (!isAlt && active.kind !== "inner") return false;
  // Up to what holds it: from inside of a map to the map, from a task to its wave; with Alt that is folded, too.
  const here = stops.indexOf(active);
  const holds = active.kind === "inner" ? "task" : "wave";
  const holder = isLeft && active.kind !== "wave" ? stops.slice(0, here).findLast((row) => row.kind === holds) : null;
  if (holder) go(holder, false);
  if (holder && isAlt) fold(holder.key, true);
  return holder !== null || isAlt;
}

function walk(key: string, { view, stops, go }: State, active: Stop): boolean {
  const here = stops.indexOf(active);
  const byTask = (id: string | undefined) => stops.find((row) => row.kind === "task" && row.key === id);
  const waveBefore = () =>
    active.kind === "task" ? stops.slice(0, here).findLast((row) => row.kind === "wave") : undefined;
  const task = taskOf(active);
  const plain = key.replace("shift+", "");
  // What is chosen grows by tasks; there are none in the row of a wave.
  const fits = (row: Stop) => row.kind !== "wave" || !key.startsWith("shift+");
  const next: Record<string, () => Stop | undefined> = {
    arrowdown: () => stops.slice(here + 1).find(fits),
    arrowup: () => stops.slice(0, here).findLast(fits),
    home: () => stops[0],
    end: () => stops[stops.length - 1],
    arrowleft: () => byTask(view.edges.find((e) => e.to === task)?.from) ?? waveBefore(),
    arrowright: () => byTask(view.edges.find((e) => e.from === task)?.to),
  };
  const to = next[plain]?.();
  if (to) go(to, key.startsWith("shift+"));
  return plain in next;
}

/** The task beside this one in its wave. */
function mateOf(active: Stop, stops: readonly Stop[], by: 1 | -1): string | null {
  const tasks = stops.filter((row) => row.kind === "task");
  const here = tasks.findIndex((row) => row.key === taskOf(active));
  const [one, mate] = [tasks[here], tasks[here + by]];
  return one?.kind === "task" && mate?.kind === "task" && one.wave === mate.wave ? mate.key : null;
}

/** Whether the key acts on the task that is chosen. */
export function isTaskKey(event: globalThis.KeyboardEvent): boolean {
  const key = keyOf(event);
  const usual = key === null ? null : usualOf("plan", key);
  return usual !== null && ON_TASK.has(usual);
}

export function listKeys(state: State) {
  return (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    const { active, chosen } = state;
    if (key === null || !active) return;
    if (act(key, event, state, active)) {
      event.preventDefault();
      return;
    }
    const task = taskOf(active);
    if (chosen.length === 0 && task !== null && isTaskKey(event.nativeEvent)) select([task]);
  };
}
