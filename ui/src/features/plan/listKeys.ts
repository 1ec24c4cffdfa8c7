// The keys of the list: walking over its rows, choosing, folding, and what the row that is walked to is good for. The acts
// themselves are the editor's keys; here the row is chosen for them first.
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
export type Stop = Extract<Row, { kind: "task" | "inner" }>;

export const taskOf = (row: Stop): string => (row.kind === "inner" ? row.of : row.key);

type State = {
  view: DraftView;
  stops: readonly Stop[];
  active: Stop | undefined;
  chosen: readonly string[];
  go: (row: Stop, extend: boolean) => void;
  fold: (task: string, close: boolean) => void;
  onOpen: () => void;
};

const ON_TASK = new Set([
  ...Object.values(KIND_KEYS),
  ..."f2 delete backspace e shift+e d p b i ctrl+c ctrl+x ctrl+d ctrl+g ctrl+shift+g ctrl+.".split(" "),
]);

/** Whether the key was the list's own. */
function act(key: string, event: KeyboardEvent, state: State, active: Stop): boolean {
  const { view, chosen, fold, onOpen } = state;
  const task = taskOf(active);
  const choose = () => chosen.includes(task) || select([task]);
  const target = event.target as HTMLElement;
  if ((key === "enter" || key === "space") && target.closest("button")) return false;
  if (key === "contextmenu" || key === "shift+f10") {
    choose();
    const place = target.getBoundingClientRect();
    if (view.isDraft) openMenu({ what: "task", at: { x: place.left + 40, y: place.bottom } });
    return true;
  }
  if (key === "enter") {
    choose();
    onOpen();
    return true;
  }
  if (key === "space" || key === "ctrl+space") {
    select(chosen.includes(task) ? chosen.filter((id) => id !== task) : [...chosen, task]);
    return true;
  }
  if (key === "alt+arrowleft" || key === "alt+arrowright") {
    fold(task, key === "alt+arrowleft");
    return true;
  }
  if (key === "alt+arrowup" || key === "alt+arrowdown") {
    const mate = view.isDraft ? mateOf(active, state.stops, key === "alt+arrowup" ? -1 : 1) : null;
    if (mate) void swapInWave(task, mate);
    return true;
  }
  return walk(key, state, active);
}

function walk(key: string, { view, stops, go }: State, active: Stop): boolean {
  const here = stops.indexOf(active);
  const byTask = (id: string | undefined) => stops.find((row) => row.kind === "task" && row.key === id);
  const task = taskOf(active);
  const plain = key.replace("shift+", "");
  const next: Record<string, () => Stop | undefined> = {
    arrowdown: () => stops[here + 1],
    arrowup: () => stops[here - 1],
    home: () => stops[0],
    end: () => stops[stops.length - 1],
    arrowleft: () => byTask(view.edges.find((e) => e.to === task)?.from),
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
    if (chosen.length === 0 && isTaskKey(event.nativeEvent)) select([taskOf(active)]);
  };
}
