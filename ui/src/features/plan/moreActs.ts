// What else can be done in the editor, for the search alone: views, panels, history, problems, zoom, and kinds of task to add.
// On a locked plan only what changes nothing.
import type { Command } from "../../state/commands";
import { redo, settled, undo } from "../../state/draft";
import { go } from "../../state/route";
import { t } from "../../text";
import { inside } from "../../text/format";
import type { ActContext } from "./acts";
import { showLeftTab } from "./LeftPanel";
import { fixChosen, stepProblem } from "./Problems";
import { KIND_KEYS, KINDS, newTask } from "./templates";
import type { Mode, Panels } from "./useModes";

export type MoreContext = ActContext & {
  mode: Mode;
  setMode: (mode: Mode) => void;
  panels: Panels;
  addBelow: (task: string) => void;
};

export function moreActs(context: MoreContext): Command[] {
  const { view } = context;
  const looks = [...viewActs(context), ...panelActs(context), ...zoomActs(context), ...problemActs(context)];
  return view.isDraft ? [...historyActs(context), ...approvalActs(context), ...looks, ...kindActs(context)] : looks;
}

function historyActs({ view }: MoreContext): Command[] {
  return [
    ...(view.canUndo
      ? [{ id: "undo", label: t.plan.undo(view.undoLabel), keys: "ctrl+z", act: () => void undo() }]
      : []),
    ...(view.canRedo
      ? [{ id: "redo", label: t.plan.redo(view.redoLabel), keys: "ctrl+shift+z", act: () => void redo() }]
      : []),
  ];
}

function approvalActs({ view }: MoreContext): Command[] {
  const act = () => void settled().then(() => go({ screen: "approve", run: view.run }));
  return view.problems.some((p) => p.severity === "error")
    ? []
    : [{ id: "approve", label: t.editor.acts.approve, keys: "ctrl+2", act }];
}

function viewActs({ mode, setMode }: MoreContext): Command[] {
  const w = t.editor.acts;
  const all = [
    { id: "list-view", label: w.list, keys: "l", to: "list" },
    { id: "json-view", label: w.json, keys: "shift+j", to: "json" },
    { id: "canvas-view", label: w.canvas, keys: mode === "json" ? "shift+j" : "l", to: "canvas" },
  ] as const;
  return all.flatMap(({ to, ...act }) => (mode === to ? [] : [{ ...act, act: () => setMode(to) }]));
}

function panelActs({ panels }: MoreContext): Command[] {
  const w = t.editor.acts;
  const tab = (name: "outline" | "versions") => () => {
    showLeftTab(name);
    panels.openLeft();
  };
  return [
    { id: "versions", label: w.versions, act: tab("versions") },
    { id: "outline", label: w.outline, act: tab("outline") },
    { id: "left", label: w.left, keys: "ctrl+b", act: panels.toggleLeft },
    { id: "right", label: w.right, keys: "ctrl+i", act: panels.right.toggle },
  ];
}

function zoomActs({ canvas }: MoreContext): Command[] {
  const w = t.editor.acts;
  if (!canvas) return [];
  return [
    { id: "zoom-in", label: w.zoomIn, keys: "ctrl++", act: () => canvas.zoom(1.25) },
    { id: "zoom-out", label: w.zoomOut, keys: "ctrl+-", act: () => canvas.zoom(0.8) },
    { id: "fit-chosen", label: w.fitChosen, keys: "shift+2", act: () => canvas.fitChosen() },
  ];
}

function problemActs({ view }: MoreContext): Command[] {
  const w = t.editor.acts;
  if (view.problems.length === 0) return [];
  const mend = { id: "fix", label: w.fix, keys: "ctrl+.", act: () => fixChosen(view) };
  return [
    { id: "next-problem", label: w.nextProblem, keys: "f8", act: () => stepProblem(view, 1) },
    { id: "last-problem", label: w.lastProblem, keys: "shift+f8", act: () => stepProblem(view, -1) },
    ...(view.isDraft ? [mend] : []),
  ];
}

function kindActs({ addBelow }: MoreContext): Command[] {
  return KINDS.map((kind) => ({
    id: `add-${kind}`,
    label: t.editor.acts.addKind(inside(t.words.kind[kind] ?? kind)),
    keys: KIND_KEYS[kind],
    act: () => addBelow(newTask(kind)),
  }));
}
