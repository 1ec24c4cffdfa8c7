// Ctrl K: plans, runs, tasks of the open plan and commands by name. Arrow keys choose, Enter goes.
import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { keyOf, printKeys } from "../components/controls/keys";
import { KindIcon, RunIcon } from "../components/marks/marks";
import type { RunRow } from "../ipc/bindings";
import { commandsHere } from "../state/commands";
import { askCompare } from "../state/compare";
import { useDraft } from "../state/draft";
import { beginExport } from "../state/exporting";
import { readRuns, useLists } from "../state/lists";
import { newPlan, openPlanFile, openRow } from "../state/open";
import { go, type Route, useRoute } from "../state/route";
import { select } from "../state/selection";
import { change } from "../state/settings";
import { t } from "../text";
import { visible } from "../text/format";
import { nearest } from "./nearest";

type Entry = { id: string; group: string; label: string; note: string; icon: React.ReactNode; act: () => void };
type Act = [label: string, keys: string, act: () => void];
type Props = { open: boolean; onClose: () => void; onKeys: () => void };

const MOST_PER_GROUP = 8;

export function CommandPalette({ open, onClose, onKeys }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog palette-dialog" data-testid="palette" aria-label={t.shell.find}>
          <Finder onClose={onClose} onKeys={onKeys} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose, onKeys }: Omit<Props, "open">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => void readRuns(), []);
  const all = useEntries(onKeys);
  const found = useMemo(() => matching(all, text), [all, text]);
  const meant = useMemo(() => (found.length > 0 ? [] : likely(all, text)), [all, found, text]);
  const shown = found.length > 0 ? found : meant;
  const chosen = shown[Math.min(at, shown.length - 1)];
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key === "arrowdown") setAt(Math.min(shown.length - 1, at + 1));
    else if (key === "arrowup") setAt(Math.max(0, at - 1));
    else if (key === "enter") run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="field">
        <Search className="icon t3" size={15} aria-hidden="true" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen ? `entry-${chosen.id}` : undefined}
          aria-label={t.shell.find}
          placeholder={t.shell.find}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          data-testid="palette-input"
        />
        <kbd>Esc</kbd>
      </div>
      <div className="palette-list" id="palette-list" role="listbox" aria-label={t.shell.find}>
        {found.length === 0 ? (
          <p className="t3 item" role="presentation">
            {t.shell.findNothing(text)}
          </p>
        ) : null}
        {shown.map((entry, ix) => (
          <Row
            key={entry.id}
            entry={entry}
            isFirst={shown[ix - 1]?.group !== entry.group}
            isChosen={entry === chosen}
            onPick={() => run(entry)}
            onHover={() => setAt(ix)}
          />
        ))}
      </div>
    </>
  );
}

type RowProps = { entry: Entry; isFirst: boolean; isChosen: boolean; onPick: () => void; onHover: () => void };

function Row({ entry, isFirst, isChosen, onPick, onHover }: RowProps) {
  return (
    <>
      {isFirst ? (
        <div className="group" role="presentation">
          {entry.group}
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the combobox above */}
      <div
        id={`entry-${entry.id}`}
        className="item"
        role="option"
        aria-selected={isChosen}
        tabIndex={-1}
        onClick={onPick}
        onMouseMove={onHover}
        ref={isChosen ? scrollIn : undefined}
      >
        {entry.icon}
        <span className="el">{visible(entry.label)}</span>
        <span className="note">{entry.note}</span>
      </div>
    </>
  );
}

function scrollIn(element: HTMLElement | null): void {
  element?.scrollIntoView?.({ block: "nearest" });
}

function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map<string, number>();
  return entries.filter((entry) => {
    if (!words.every((w) => entry.label.toLowerCase().includes(w) || entry.note.toLowerCase().includes(w)))
      return false;
    const n = (counts.get(entry.group) ?? 0) + 1;
    counts.set(entry.group, n);
    return n <= MOST_PER_GROUP;
  });
}

function likely(entries: readonly Entry[], text: string): Entry[] {
  const meant = nearest(entries, (entry) => entry.label, text);
  return meant.map((entry) => ({ ...entry, group: t.editor.meant }));
}

function useEntries(onKeys: () => void): Entry[] {
  const rows = useLists((s) => s.runs);
  const draft = useDraft((s) => s.view);
  const route = useRoute((s) => s.route);
  return useMemo(() => {
    const inPlan = route.screen === "plan" && draft?.run === route.run;
    const tasks = inPlan
      ? draft.tasks.map<Entry>((task) => ({
          id: `task-${task.id}`,
          group: t.shell.findGroups.tasks,
          label: task.title,
          note: t.words.kind[task.taskType] ?? task.taskType,
          icon: <KindIcon kind={task.taskType} />,
          act: () => select([task.id]),
        }))
      : [];
    const runs = (rows ?? []).map<Entry>((row) => ({
      id: `row-${row.run}`,
      group: row.status === "AWAITING_APPROVAL" ? t.shell.findGroups.plans : t.shell.findGroups.runs,
      label: row.title,
      note: t.words.runStatus[row.status],
      icon: <RunIcon status={row.status} />,
      act: () => openRow(row),
    }));
    const plans = runs.filter((r) => r.group === t.shell.findGroups.plans);
    return [
      ...here(),
      ...exporting(route, rows ?? []),
      ...tasks,
      ...plans,
      ...runs.filter((r) => !plans.includes(r)),
      ...commands(onKeys, aboutRun(route, rows)),
    ];
  }, [rows, draft, route, onKeys]);
}

/** The run or draft that is open, as a file. */
function exporting(route: Route, rows: readonly RunRow[]): Entry[] {
  const row = "run" in route ? rows.find((row) => row.run === route.run) : undefined;
  if (!row) return [];
  const label = t.exporting.open;
  return [{ id: "export", group: t.shell.findGroups.here, label, note: "", icon: null, act: () => beginExport(row) }];
}

/** What can be done on the open screen, with its keys. */
function here(): Entry[] {
  return commandsHere().map((command) => ({
    id: `here-${command.id}`,
    group: t.shell.findGroups.here,
    label: command.label,
    note: command.keys ? printKeys(command.keys) : "",
    icon: null,
    act: command.act,
  }));
}

/** The run that a command about two of them begins with: the one that is looked at, else the newest. */
function aboutRun(route: Route, rows: readonly RunRow[] | null): string | null {
  if (route.screen === "compare") return route.a;
  const newest = rows?.find((row) => row.status !== "AWAITING_APPROVAL");
  return "run" in route ? route.run : (newest?.run ?? null);
}

function commands(onKeys: () => void, run: string | null): Entry[] {
  const c = t.shell.commands;
  const list: Act[] = [
    [c.newPlan, "N", () => void newPlan()],
    [c.openFile, "Ctrl O", () => void openPlanFile()],
    [c.goHome, "G H", () => go({ screen: "home" })],
    [c.goPlans, "G P", () => go({ screen: "plans" })],
    [c.goRuns, "G R", () => go({ screen: "runs" })],
    [c.goWaiting, "G W", () => go({ screen: "waiting" })],
    ...(run === null ? [] : [[c.compare, "", () => void askCompare(run)] satisfies Act]),
    [c.settings, "Ctrl ,", () => go({ screen: "settings" })],
    [c.dark, "", () => change("theme", "dark")],
    [c.light, "", () => change("theme", "light")],
    [t.shell.keys, "?", onKeys],
  ];
  return list.map(([label, note, act], ix) => ({
    id: `command-${ix}`,
    group: t.shell.findGroups.commands,
    label,
    note,
    icon: null,
    act,
  }));
}
