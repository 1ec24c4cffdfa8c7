// Connecting and disconnecting by keyboard: a list of tasks, each with the engine's word on whether the edge may be drawn.
import { Dialog } from "@base-ui/react/dialog";
import { Check, CircleAlert, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { keyOf, printKeys } from "../../components/controls/keys";
import { focusAtOnce } from "../../components/controls/work";
import { KindTile } from "../../components/marks/marks";
import type { DraftView } from "../../ipc/bindings";
import { edit } from "../../state/draft";
import { t } from "../../text";
import { inside, visible } from "../../text/format";
import { verdicts } from "./commands";
import { carried, connect, reconnect } from "./connecting";
import { type Ask, askConnection, closeConnection, useConnectionAsk } from "./connectionStore";

type Props = { view: DraftView; onInsert: (from: string, to: string) => void };

export function ConnectDialog({ view, onInsert }: Props) {
  const ask = useConnectionAsk((s) => s.ask);
  return (
    <Dialog.Root open={ask !== null} onOpenChange={(open) => !open && closeConnection()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog palette-dialog" data-testid="connect-dialog">
          {ask ? <Chooser view={view} ask={ask} onInsert={onInsert} /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type Choice = {
  id: string;
  title: string;
  kind: string;
  note: string;
  refusal: string | null;
  link: Link;
  what: Ask["what"];
};
type Link = { from: string; to: string };

function nameOf(view: DraftView, id: string): string {
  return visible(view.tasks.find((task) => task.id === id)?.title || id);
}

function titleOf(view: DraftView, ask: Ask): string {
  const name = nameOf(view, ask.task);
  if (ask.what === "cut") return t.plan.disconnectOf(name);
  if (ask.instead !== undefined) return t.editor.instead(name, nameOf(view, ask.instead));
  return ask.what === "child" ? t.plan.connectTo(name) : `${name}: ${inside(t.inspector.dependencies)}`;
}

function Chooser({ view, ask, onInsert }: Props & { ask: Ask }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const all = useChoices(view, ask);
  const shown = useMemo(
    () => all.filter((c) => `${c.title} ${c.id}`.toLowerCase().includes(text.trim().toLowerCase())),
    [all, text],
  );
  const chosen = shown[Math.min(at, shown.length - 1)];
  const take = (choice: Choice | undefined) => {
    if (!choice || choice.refusal !== null) return;
    closeConnection();
    if (ask.what === "cut") void edit([{ disconnect: choice.link }]);
    else if (ask.instead !== undefined) void reconnect(choice.link.from, ask.instead, choice.link.to);
    else void connect(choice.link.from, choice.link.to);
  };
  const put = (choice: Choice | undefined) => {
    if (!choice || ask.what !== "cut") return;
    closeConnection();
    onInsert(choice.link.from, choice.link.to);
  };
  const lead = ({ from, to }: Link) => {
    setText("");
    setAt(0);
    askConnection("child", from, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key === "arrowdown") setAt(Math.min(shown.length - 1, at + 1));
    else if (key === "arrowup") setAt(Math.max(0, at - 1));
    else if (key === "enter") take(chosen);
    else if (key === "ctrl+enter") put(chosen);
    else if (key === "shift+enter" && ask.what === "cut") chosen && lead(chosen.link);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <Dialog.Title className="connect-title">{titleOf(view, ask)}</Dialog.Title>
      <div className="field">
        <Search className="icon t3" size={15} aria-hidden="true" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="connect-list"
          aria-activedescendant={chosen ? `choice-${chosen.id}` : undefined}
          aria-label={t.plan.connectFind}
          placeholder={t.plan.connectFind}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          ref={focusAtOnce}
          data-testid="connect-find"
        />
        <kbd>Esc</kbd>
      </div>
      <div className="palette-list" id="connect-list" role="listbox" aria-label={titleOf(view, ask)}>
        {shown.length === 0 ? (
          <p className="item t3">{ask.what === "cut" ? t.plan.disconnectNone : t.plan.connectNone}</p>
        ) : null}
        {shown.map((choice, ix) => (
          <Row
            key={`${choice.id}${choice.note}`}
            view={view}
            choice={choice}
            isChosen={choice === chosen}
            onPick={() => take(choice)}
            onHover={() => setAt(ix)}
          />
        ))}
      </div>
      {ask.what === "cut" && chosen ? (
        <p className="connect-foot xs t3">
          <kbd>{printKeys("enter")}</kbd> {inside(t.plan.disconnect)}
          <kbd>{printKeys("shift+enter")}</kbd> {t.editor.leadElsewhere}
          <kbd>{printKeys("ctrl+enter")}</kbd> {t.editor.insertBetween}
        </p>
      ) : null}
    </>
  );
}

function Row({
  view,
  choice,
  isChosen,
  onPick,
  onHover,
}: {
  view: DraftView;
  choice: Choice;
  isChosen: boolean;
  onPick: () => void;
  onHover: () => void;
}) {
  const isThere = choice.refusal?.toLowerCase().includes("already") && !choice.refusal.includes("→");
  const Icon = isThere ? Check : CircleAlert;
  const refusal = choice.refusal === null ? null : visible(named(choice.refusal, view));
  const note = useMemo(() => noteOf(choice), [choice]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the combobox above
    <div
      id={`choice-${choice.id}`}
      className={`item${choice.refusal ? " refused" : ""}`}
      role="option"
      aria-selected={isChosen}
      aria-disabled={choice.refusal !== null}
      tabIndex={-1}
      onClick={onPick}
      onMouseMove={onHover}
      title={refusal ?? undefined}
      ref={isChosen ? scrollIn : undefined}
      data-testid={`choice-${choice.id}`}
    >
      <KindTile kind={choice.kind} small />
      <span className="el">{visible(choice.title)}</span>
      <span className="note">
        {refusal ? <Icon className="icon" size={12} aria-hidden="true" /> : null}
        <span className="el">{refusal ?? note}</span>
      </span>
    </div>
  );
}

function scrollIn(element: HTMLElement | null): void {
  element?.scrollIntoView?.({ block: "nearest" });
}

/** What the connection would carry; else what kind of task it leads to. */
function noteOf({ link, what, note, refusal }: Choice): string {
  return what === "cut" || refusal !== null ? note : (carried(link.from, link.to) ?? note);
}

/** The engine speaks of ids; on screen the tasks have names. Only a way is put into names, word by word. */
function named(refusal: string, view: DraftView): string {
  if (!refusal.includes("→")) return refusal;
  const names = new Map(view.tasks.map((task) => [task.id, task.title || task.id]));
  return refusal.replace(/[A-Za-z0-9_-]+(?=\s*→)|(?<=→\s*)[A-Za-z0-9_-]+/g, (id) => names.get(id) ?? id);
}

/** For `parent` the engine is asked the other way round: whether each task may lead to this one. */
function useChoices(view: DraftView, ask: Ask): Choice[] {
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string | null>>(new Map());
  useEffect(() => {
    let gone = false;
    if (ask.what === "child") verdicts(view.run, ask.task).then((found) => gone || setRefusals(found));
    return () => {
      gone = true;
    };
  }, [view.run, ask]);
  return useMemo(() => {
    const task = (id: string) => view.tasks.find((x) => x.id === id);
    if (ask.what === "cut") {
      return view.edges
        .filter((e) => e.from === ask.task || e.to === ask.task)
        .map((e) => {
          const other = e.from === ask.task ? e.to : e.from;
          return {
            id: other,
            title: task(other)?.title || other,
            kind: task(other)?.taskType ?? "",
            note: e.from === ask.task ? t.plan.after : t.plan.before,
            refusal: null,
            link: { from: e.from, to: e.to },
            what: ask.what,
          };
        });
    }
    const below = ask.what === "parent" ? descendants(view, ask.task) : new Set<string>();
    const parents = new Set(view.edges.filter((e) => e.to === ask.task).map((e) => e.from));
    const choices = view.tasks
      .filter((x) => x.id !== ask.task)
      .map((x) => {
        const link = ask.what === "child" ? { from: ask.task, to: x.id } : { from: x.id, to: ask.task };
        const known = parents.has(x.id) ? t.plan.connected : below.has(x.id) ? t.canvas.makesLoop : null;
        const refusal = ask.what === "child" ? (refusals.get(x.id) ?? null) : known;
        return {
          id: x.id,
          title: x.title || x.id,
          kind: x.taskType,
          note: t.words.kind[x.taskType] ?? x.taskType,
          refusal,
          link,
          what: ask.what,
        };
      });
    return choices.sort((a, b) => Number(a.refusal !== null) - Number(b.refusal !== null));
  }, [view, ask, refusals]);
}

/** A hint only, for a list that is shown at once: the engine judges the edge when it is made. */
function descendants(view: DraftView, from: string): Set<string> {
  const children = new Map<string, string[]>();
  for (const e of view.edges) children.set(e.from, [...(children.get(e.from) ?? []), e.to]);
  const found = new Set<string>();
  const queue = [from];
  for (const here of queue) {
    for (const child of children.get(here) ?? []) {
      if (found.has(child)) continue;
      found.add(child);
      queue.push(child);
    }
  }
  return found;
}
