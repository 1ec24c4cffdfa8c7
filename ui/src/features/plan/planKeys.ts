// The editor's keys, each bound to its command. A key that can do nothing here is let through.
import type { RefObject } from "react";
import type { CanvasHandle } from "../../components/canvas/viewport";
import type { KeyMap } from "../../components/controls/keys";
import { focusWork } from "../../components/controls/work";
import type { DraftView } from "../../ipc/bindings";
import { redo, undo } from "../../state/draft";
import { notify } from "../../state/notices";
import { clearSelection, select, useSelection } from "../../state/selection";
import { closeComparison, useVersions } from "../../state/versions";
import { t } from "../../text";
import { type ActContext, actOnChosen } from "./acts";
import { groupChosen, openUpChosen, skipChosen, tidy } from "./arranging";
import { copySelection, deleteSelection, duplicate, nudge, savePlan } from "./commands";
import { askConnection } from "./connectionStore";
import { closeFind, openFind, useFind } from "./find/findStore";
import { showLeftTab } from "./LeftPanel";
import { fixChosen, stepProblem } from "./Problems";
import { askSave } from "./saveStore";
import { KIND_KEYS, KINDS, newTask } from "./templates";
import type { Mode } from "./useModes";

type State = {
  view: DraftView;
  canvas: RefObject<CanvasHandle | null>;
  find: RefObject<HTMLInputElement | null>;
  mode: Mode;
  /** The left panel lies over the canvas, and only when it was asked for. */
  isFolded: boolean;
  isLeftShown: boolean;
  setMode: (mode: Mode) => void;
  setHand: (on: boolean) => void;
  openLeft: () => void;
  hideLeft: () => void;
  toggleLeft: () => void;
  right: { toggle: () => void };
  addBelow: (task: string) => void;
  inspect: () => void;
  acts: ActContext;
  toggleMap: () => void;
};

export function planKeys(state: State): KeyMap {
  const { view } = state;
  const looks: KeyMap = {
    l: () => state.setMode(state.mode === "list" ? "canvas" : "list"),
    "shift+j": () => state.setMode(state.mode === "json" ? "canvas" : "json"),
    "ctrl+m": state.toggleMap,
    "ctrl+b": state.toggleLeft,
    "ctrl+i": state.right.toggle,
    f8: () => stepProblem(view, 1),
    "shift+f8": () => stepProblem(view, -1),
    escape: () => stepBack(state),
    "ctrl+a": () => select(view.tasks.map((task) => task.id)),
    "ctrl+c": () => copySelection() !== null,
    "ctrl+f": openFind,
    "ctrl+h": openFind,
  };
  return view.isDraft ? { ...looks, ...editKeys(state) } : looks;
}

function editKeys(state: State): KeyMap {
  const keys: KeyMap = {
    v: () => state.setHand(false),
    h: () => state.setHand(true),
    "/": () => {
      showLeftTab("add");
      state.openLeft();
      window.setTimeout(() => state.find.current?.focus(), 0);
    },
    e: () => ask("child"),
    "shift+e": () => ask("cut"),
    f2: () => (useSelection.getState().tasks.length > 0 ? state.inspect() : notify(t.plan.pickTask)),
    delete: () => void deleteSelection(),
    backspace: () => void deleteSelection(),
    "ctrl+d": () => void duplicate(),
    "ctrl+x": () => {
      if (copySelection() !== null) void deleteSelection();
    },
    "ctrl+z": () => void undo(),
    "ctrl+shift+z": () => void redo(),
    "ctrl+y": () => void redo(),
    "shift+t": () => void tidy(state.canvas.current),
    d: () => void skipChosen(),
    p: () => actOnChosen(state.acts, ["pin", "unpin"]),
    b: () => actOnChosen(state.acts, ["break-before", "no-break"]),
    "ctrl+g": () => void groupChosen(),
    "ctrl+shift+g": () => void openUpChosen(),
    i: () => addAtPointer(state),
    "ctrl+s": () => void askSave(),
    "ctrl+shift+s": () => void savePlan(),
    "ctrl+.": () => fixChosen(state.view),
    ...(state.mode === "canvas" ? nudges() : {}),
  };
  for (const kind of KINDS) keys[KIND_KEYS[kind]] = () => state.addBelow(newTask(kind));
  return keys;
}

/** Closes what lies over the rest, then leads back to the work, then lets go of what is chosen. */
function stepBack(state: State): void {
  const isBeside = document.activeElement?.closest("aside.panel") !== null && document.activeElement !== document.body;
  if (useFind.getState().isOpen) closeFind();
  else if (useVersions.getState().compared) closeComparison();
  else if (state.isFolded && state.isLeftShown) state.hideLeft();
  else if (!(isBeside && focusWork())) clearSelection();
}

function ask(what: "child" | "cut"): void {
  const task = useSelection.getState().tasks[0];
  if (task) askConnection(what, task);
  else notify(t.plan.pickTask);
}

/** The small palette, where the pointer is; else in the middle. */
function addAtPointer({ acts, canvas }: State): void {
  const at = canvas.current?.pointer();
  const middle = { x: window.innerWidth / 2 - 130, y: window.innerHeight / 3 };
  acts.addAt(at && canvas.current ? canvas.current.toClient(at) : middle);
}

const NUDGES: readonly [string, number, number][] = [
  ["arrowleft", -1, 0],
  ["arrowright", 1, 0],
  ["arrowup", 0, -1],
  ["arrowdown", 0, 1],
];

function nudges(): KeyMap {
  const keys: KeyMap = {};
  for (const [key, x, y] of NUDGES) {
    keys[`alt+${key}`] = () => void nudge(x * 8, y * 8);
    keys[`alt+shift+${key}`] = () => void nudge(x, y);
  }
  return keys;
}
