// The editor's keys, each bound to its command. A key that can do nothing here is let through.
import type { RefObject } from "react";
import { layOut } from "../../components/canvas/layout";
import type { CanvasTask, Point } from "../../components/canvas/model";
import type { CanvasHandle } from "../../components/canvas/viewport";
import type { KeyMap } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { redo, undo } from "../../state/draft";
import { notify } from "../../state/notices";
import { clearSelection, select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { copySelection, deleteSelection, duplicate, nudge, savePlan } from "./commands";
import { askConnection } from "./connectionStore";
import { tidy } from "./PlanTools";
import { fixChosen, stepProblem } from "./Problems";
import { KIND_KEYS, KINDS, newTask } from "./templates";

type State = {
  view: DraftView;
  tasks: readonly CanvasTask[];
  canvas: RefObject<CanvasHandle | null>;
  find: RefObject<HTMLInputElement | null>;
  isList: boolean;
  isFolded: boolean;
  setList: (on: boolean) => void;
  setHand: (on: boolean) => void;
  showLeft: () => void;
  left: { toggle: () => void; isOpen: boolean };
  right: { toggle: () => void };
  addBelow: (task: string) => void;
  inspect: () => void;
};

export function planKeys(state: State): KeyMap {
  const { view, canvas } = state;
  const zooms: KeyMap = {
    "ctrl+=": () => canvas.current?.zoom(1.25),
    "ctrl++": () => canvas.current?.zoom(1.25),
    "ctrl+-": () => canvas.current?.zoom(0.8),
    "ctrl+0": () => canvas.current?.zoomTo(1),
    "shift+1": () => canvas.current?.fit(),
    "shift+2": () => canvas.current?.fit(useSelection.getState().tasks),
  };
  const looks: KeyMap = {
    l: () => state.setList(!state.isList),
    "ctrl+i": state.right.toggle,
    f8: () => stepProblem(view, 1),
    "shift+f8": () => stepProblem(view, -1),
    escape: () => clearSelection(),
    "ctrl+a": () => select(view.tasks.map((task) => task.id)),
    "ctrl+c": () => copySelection() !== null,
  };
  return view.isDraft ? { ...zooms, ...looks, ...editKeys(state) } : { ...zooms, ...looks };
}

function editKeys(state: State): KeyMap {
  const keys: KeyMap = {
    v: () => state.setHand(false),
    h: () => state.setHand(true),
    "/": () => {
      if (state.isFolded) state.showLeft();
      window.setTimeout(() => state.find.current?.focus(), 0);
    },
    "ctrl+b": () => (state.isFolded ? state.showLeft() : state.left.toggle()),
    e: () => ask("child"),
    "shift+e": () => ask("cut"),
    f2: state.inspect,
    delete: () => void deleteSelection(),
    backspace: () => void deleteSelection(),
    "ctrl+d": () => void duplicate(),
    "ctrl+x": () => {
      if (copySelection() !== null) void deleteSelection();
    },
    "ctrl+z": () => void undo(),
    "ctrl+shift+z": () => void redo(),
    "ctrl+y": () => void redo(),
    "shift+t": () => void tidy(state.canvas),
    "ctrl+s": () => void savePlan(),
    "ctrl+.": () => fixChosen(state.view),
    ...nudges(state),
  };
  for (const kind of KINDS) keys[KIND_KEYS[kind]] = () => state.addBelow(newTask(kind));
  return keys;
}

function ask(what: "child" | "cut"): void {
  const task = useSelection.getState().tasks[0];
  if (task) askConnection(what, task);
  else notify(t.plan.pickTask);
}

function nudges({ view, tasks }: State): KeyMap {
  const places = () => {
    const { positions } = layOut(
      tasks.map((task) => task.id),
      view.edges,
    );
    return new Map<string, Point>(
      tasks.map((task) => [task.id, task.position ?? positions.get(task.id) ?? { x: 0, y: 0 }]),
    );
  };
  const by = (dx: number, dy: number) => () => void nudge(places(), dx, dy);
  return {
    "alt+arrowleft": by(-8, 0),
    "alt+arrowright": by(8, 0),
    "alt+arrowup": by(0, -8),
    "alt+arrowdown": by(0, 8),
    "alt+shift+arrowleft": by(-1, 0),
    "alt+shift+arrowright": by(1, 0),
    "alt+shift+arrowup": by(0, -1),
    "alt+shift+arrowdown": by(0, 1),
  };
}
