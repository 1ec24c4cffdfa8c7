// Find and replace over the plan: what was found, each a way to its field; replacing all is one step of undo.
import { CaseSensitive, ChevronDown, ChevronUp, WholeWord, X } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../../components/controls/controls";
import { KindIcon } from "../../../components/marks/marks";
import type { DraftView } from "../../../ipc/bindings";
import { edit } from "../../../state/draft";
import { notify } from "../../../state/notices";
import { revealField } from "../../../state/selection";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { closeFind, useFind } from "./findStore";
import { type Found, findAll, replaceEdits } from "./texts";

export function FindPanel({ view }: { view: DraftView }) {
  const isOpen = useFind((s) => s.isOpen);
  return isOpen ? <Panel view={view} /> : null;
}

function Panel({ view }: { view: DraftView }) {
  const [text, setText] = useState("");
  const [by, setBy] = useState("");
  const [matchCase, setCase] = useState(false);
  const [wholeWord, setWhole] = useState(false);
  const [at, setAt] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  useGiveBack();
  const asked = useFind((s) => s.count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again brings the cursor back
  useEffect(() => field.current?.select(), [asked]);
  const wanted = useDeferredValue(text);
  const found = useMemo(
    () => (view.isDraft || wanted ? findAll(view, { text: wanted, matchCase, wholeWord }) : []),
    [view, wanted, matchCase, wholeWord],
  );
  const hits = found.reduce((sum, f) => sum + f.hits.length, 0);
  const goTo = (ix: number) => {
    const place = found[(ix + found.length) % found.length];
    setAt(found.length > 0 ? (ix + found.length) % found.length : -1);
    // The cursor stays in the search; the field is shown, not entered.
    if (place) revealField(place.task, place.field, false);
  };
  const replaceAll = async () => {
    if (found.length === 0) return;
    if (await edit(replaceEdits(view, found, by))) notify(t.plan.finding.replaced(hits), { tone: "done" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") closeFind();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void replaceAll();
    else if (event.key === "Enter") goTo(at + (event.shiftKey ? -1 : 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const w = t.plan.finding;
  return (
    <section className="find-panel" aria-label={w.title} onKeyDown={onKeyDown} data-testid="find-panel">
      <div className="find-row">
        <input
          ref={field}
          className="field"
          aria-label={w.find}
          placeholder={w.find}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(-1);
          }}
          data-testid="find-text"
        />
        <IconButton
          size="small"
          label={w.matchCase}
          aria-pressed={matchCase}
          icon={<CaseSensitive size={15} />}
          onClick={() => setCase(!matchCase)}
        />
        <IconButton
          size="small"
          label={w.wholeWord}
          aria-pressed={wholeWord}
          icon={<WholeWord size={15} />}
          onClick={() => setWhole(!wholeWord)}
        />
        <span className="find-count xs t3 num" role="status" data-testid="find-count">
          {text === "" ? "" : w.count(hits, new Set(found.map((f) => f.task)).size)}
        </span>
        <IconButton
          size="small"
          label={w.previous}
          icon={<ChevronUp size={15} />}
          disabled={found.length === 0}
          onClick={() => goTo(at - 1)}
        />
        <IconButton
          size="small"
          label={w.next}
          icon={<ChevronDown size={15} />}
          disabled={found.length === 0}
          onClick={() => goTo(at + 1)}
        />
        <IconButton size="small" label={t.words.close} icon={<X size={15} />} onClick={closeFind} />
      </div>
      {view.isDraft ? (
        <div className="find-row">
          <input
            className="field"
            aria-label={w.by}
            placeholder={w.by}
            value={by}
            onChange={(event) => setBy(event.target.value)}
            data-testid="find-by"
          />
          <Button size="small" disabled={hits === 0} onClick={() => void replaceAll()} data-testid="replace-all">
            {w.replaceAll(hits)}
          </Button>
        </div>
      ) : null}
      <Hits view={view} found={found} at={at} onPick={goTo} />
    </section>
  );
}

/** The focus goes back to where it was before the panel opened. */
function useGiveBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    },
    [before],
  );
}

const MOST = 60;

type HitsProps = { view: DraftView; found: readonly Found[]; at: number; onPick: (ix: number) => void };

function Hits({ view, found, at, onPick }: HitsProps) {
  const tasks = useMemo(() => new Map(view.tasks.map((task) => [task.id, task])), [view]);
  if (found.length === 0) return null;
  return (
    <ul className="find-hits">
      {found.slice(0, MOST).map((place, ix) => (
        <li key={`${place.task}${place.field}`}>
          <button type="button" className={`find-hit${ix === at ? " chosen" : ""}`} onClick={() => onPick(ix)}>
            <KindIcon kind={tasks.get(place.task)?.taskType ?? ""} size={13} />
            <b className="el">{visible(tasks.get(place.task)?.title || place.task)}</b>
            <span className="xs t3">
              {place.field.slice(1).replaceAll("/", " › ").replace("$template", "template")}
            </span>
            <Excerpt place={place} />
          </button>
        </li>
      ))}
      {found.length > MOST ? <li className="xs t3 find-more">{t.canvas.more(found.length - MOST)}</li> : null}
    </ul>
  );
}

const AROUND = 24;

function Excerpt({ place: { text, hits } }: { place: Found }) {
  const [start, end] = hits[0] ?? [0, 0];
  const from = Math.max(0, start - AROUND);
  return (
    <span className="find-text sm t2 el">
      {from > 0 ? "…" : ""}
      {visible(text.slice(from, start))}
      <mark>{visible(text.slice(start, end))}</mark>
      {visible(text.slice(end, end + AROUND))}
    </span>
  );
}
