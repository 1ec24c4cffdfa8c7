// Every named act on the plan, with its key: the menus, the bar over a selection and the search all show these.
import {
  AlignCenterVertical,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  CirclePause,
  Clipboard,
  Copy,
  CopyPlus,
  DraftingCompass,
  FileDown,
  FlaskConical,
  Group,
  LayoutDashboard,
  type LucideIcon,
  Maximize,
  PanelRight,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Replace,
  Save,
  Scissors,
  SkipForward,
  Spline,
  SquareDashedMousePointer,
  StickyNote,
  Trash2,
  Ungroup,
  Unlink,
} from "lucide-react";
import type { Point } from "../../components/canvas/model";
import type { CanvasHandle } from "../../components/canvas/viewport";
import type { DraftTask, DraftView } from "../../ipc/bindings";
import { objectOf, tryParse } from "../../ipc/json";
import { edit } from "../../state/draft";
import { breakAt, hold } from "../../state/laid";
import { notify } from "../../state/notices";
import { openWish } from "../../state/proposal";
import { revealField, select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { alignChosen, distributeChosen, groupChosen, openUpChosen, skipChosen, tidy } from "./arranging";
import { copySelection, deleteSelection, duplicate, paste, savePlan } from "./commands";
import { askConnection } from "./connectionStore";
import type { MenuAsk } from "./menuStore";
import { isSkipped } from "./rules/skipping";
import { askSave } from "./saveStore";
import { askTry } from "./tryStore";

export type Act = { id: string; label: string; keys?: string; icon: LucideIcon; off?: boolean; act: () => void };

export type ActContext = {
  view: DraftView;
  canvas: CanvasHandle | null;
  inspect: () => void;
  /** Opens the small palette at a place of the window. */
  addAt: (client: Point) => void;
  insertOn: (from: string, to: string, client: Point) => void;
  addNote: (client: Point) => void;
  find: () => void;
};

const w = t.plan.acts;

/** Groups of acts, as a menu shows them. */
export function menuActs(ask: MenuAsk, context: ActContext): Act[][] {
  if (ask.what === "edge") return edgeActs(ask, context);
  return ask.what === "task" ? taskActs(context) : planActs(ask.at, context);
}

function chosenTasks(view: DraftView) {
  const ids = new Set(useSelection.getState().tasks);
  return view.tasks.filter((task) => ids.has(task.id));
}

export function taskActs({ view, inspect, canvas }: ActContext): Act[][] {
  const chosen = chosenTasks(view);
  const [first] = chosen;
  const isOne = chosen.length === 1;
  const skipped = chosen.length > 0 && chosen.every((x) => isSkipped(objectOf(tryParse(x.document))));
  const link = (what: "child" | "parent" | "cut") => () => first && askConnection(what, first.id);
  return [
    [
      { id: "open", label: w.open, keys: "enter", icon: PanelRight, off: !isOne, act: inspect },
      { id: "rename", label: w.rename, keys: "f2", icon: Pencil, off: !isOne, act: inspect },
      { id: "connect", label: w.connect, keys: "e", icon: Spline, off: !isOne, act: link("child") },
      { id: "disconnect", label: w.disconnect, keys: "shift+e", icon: Unlink, off: !isOne, act: link("cut") },
    ],
    [
      { id: "copy", label: w.copy, keys: "ctrl+c", icon: Copy, act: () => void copySelection() },
      {
        id: "cut",
        label: w.cut,
        keys: "ctrl+x",
        icon: Scissors,
        act: () => void (copySelection() && deleteSelection()),
      },
      { id: "duplicate", label: w.duplicate, keys: "ctrl+d", icon: CopyPlus, act: () => void duplicate() },
    ],
    [
      { id: "skip", label: skipped ? w.unskip : w.skip, keys: "d", icon: SkipForward, act: () => void skipChosen() },
      first?.taskType === "subplan" && isOne
        ? { id: "open-up", label: w.openUp, keys: "ctrl+shift+g", icon: Ungroup, act: () => void openUpChosen() }
        : { id: "group", label: w.group, keys: "ctrl+g", icon: Group, act: () => void groupChosen() },
      {
        id: "tidy-these",
        label: w.tidyThese,
        keys: "shift+t",
        icon: LayoutDashboard,
        off: chosen.length < 2,
        act: () => void tidy(canvas),
      },
    ],
    ...(first && isOne ? [laidActs(first, inspect)] : []),
    [{ id: "delete", label: w.remove, keys: "delete", icon: Trash2, act: () => void deleteSelection() }],
  ];
}

/** What holds in the run to come. */
function laidActs(task: DraftTask, inspect: () => void): Act[] {
  const h = t.holds.acts;
  const [before, after] = [task.breakpoint === "before", task.breakpoint === "after"];
  const stop = (at: DraftTask["breakpoint"]) => () => void breakAt(task.id, at);
  return [
    task.pinned
      ? { id: "unpin", label: h.unpin, keys: "p", icon: PinOff, act: () => void hold(task.id, null) }
      : { id: "pin", label: h.pin, keys: "p", icon: Pin, act: () => pinInInspector(task.id, inspect) },
    before || task.breakpoint === "both"
      ? { id: "no-break", label: h.noBreak, keys: "b", icon: CirclePause, act: stop(null) }
      : { id: "break-before", label: h.before, keys: "b", icon: CirclePause, act: stop(after ? "both" : "before") },
    {
      id: "break-after",
      label: h.after,
      icon: CirclePause,
      off: after || task.breakpoint === "both",
      act: stop(before ? "both" : "after"),
    },
    { id: "try", label: t.trying.act, icon: FlaskConical, act: () => askTry(task.id) },
  ];
}

/** The inspector asks for the output that is to be held. */
function pinInInspector(task: string, inspect: () => void): void {
  inspect();
  revealField(task, "hold");
}

/** The act of a key on the one task that is chosen. */
export function actOnChosen({ view, inspect }: ActContext, ids: readonly string[]): void {
  const [task, ...more] = chosenTasks(view);
  if (!task || more.length > 0) notify(t.plan.pickTask);
  else
    laidActs(task, inspect)
      .find((act) => ids.includes(act.id))
      ?.act();
}

function edgeActs({ from, to, at }: Extract<MenuAsk, { what: "edge" }>, { insertOn }: ActContext): Act[][] {
  return [
    [{ id: "insert", label: w.insert, icon: Plus, act: () => insertOn(from, to, at) }],
    [
      {
        id: "cut-edge",
        label: w.cutEdge,
        keys: "delete",
        icon: Unlink,
        act: () => void edit([{ disconnect: { from, to } }]).then(() => select([])),
      },
    ],
  ];
}

export function planActs(at: Point, context: ActContext): Act[][] {
  const { view, canvas } = context;
  const world = () => canvas?.toWorld(at) ?? null;
  return [
    [
      { id: "add", label: w.add, keys: "i", icon: Plus, act: () => context.addAt(at) },
      { id: "note", label: w.note, icon: StickyNote, off: canvas === null, act: () => context.addNote(at) },
      { id: "paste", label: w.paste, keys: "ctrl+v", icon: Clipboard, act: () => void pasteHere(world()) },
    ],
    [
      {
        id: "all",
        label: w.all,
        keys: "ctrl+a",
        icon: SquareDashedMousePointer,
        act: () => select(view.tasks.map((task) => task.id)),
      },
      { id: "wish", label: t.proposal.entry, keys: "shift+c", icon: DraftingCompass, act: openWish },
      { id: "find", label: w.find, keys: "ctrl+f", icon: Replace, act: context.find },
    ],
    [
      { id: "save", label: t.plan.saveEntry, keys: "ctrl+s", icon: Save, act: () => void askSave() },
      { id: "save-file", label: t.plan.save, keys: "ctrl+shift+s", icon: FileDown, act: () => void savePlan() },
    ],
    [
      { id: "tidy", label: w.tidy, keys: "shift+t", icon: LayoutDashboard, act: () => tidyAll(canvas) },
      { id: "fit", label: w.fit, keys: "shift+1", icon: Maximize, off: canvas === null, act: () => canvas?.fit() },
    ],
  ];
}

function tidyAll(canvas: CanvasHandle | null): void {
  select([]);
  void tidy(canvas);
}

/** The system's clipboard where it may be read; else what was copied here. */
async function pasteHere(aim: Point | null): Promise<void> {
  const text = await navigator.clipboard?.readText?.().catch(() => "");
  await (text ? paste(text, aim) : paste(undefined, aim));
}

export function arrangeActs(): Act[] {
  return [
    { id: "align-left", label: w.alignLeft, icon: AlignStartVertical, act: () => void alignChosen("left") },
    { id: "align-centre", label: w.alignCentre, icon: AlignCenterVertical, act: () => void alignChosen("centre") },
    { id: "align-right", label: w.alignRight, icon: AlignEndVertical, act: () => void alignChosen("right") },
    { id: "align-top", label: w.alignTop, icon: AlignStartHorizontal, act: () => void alignChosen("top") },
    { id: "spread-x", label: w.spreadX, icon: AlignHorizontalDistributeCenter, act: () => void distributeChosen("x") },
    { id: "spread-y", label: w.spreadY, icon: AlignVerticalDistributeCenter, act: () => void distributeChosen("y") },
  ];
}

/** All of them, as the search lists them: what needs a selection only where there is one. */
export function searchActs(context: ActContext): Act[] {
  const count = useSelection.getState().tasks.length;
  const middle = { x: window.innerWidth / 2, y: window.innerHeight / 2 };
  const ofChosen = count > 0 ? taskActs(context).flat() : [];
  const ofSeveral = count > 1 ? arrangeActs() : [];
  return [...ofChosen, ...ofSeveral, ...planActs(middle, context).flat()].filter((act) => !act.off);
}
