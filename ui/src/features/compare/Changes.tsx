// The list of what differs: the final answers, then each task with what of it is different. The pictures' twin as text.
import { ChevronDown, ChevronUp, EqualNot, FileText } from "lucide-react";
import { useEffect, useRef } from "react";
import { DIFF_ICON } from "../../components/canvas/CardMarks";
import { IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { ComparedTask, CompareView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible, whole } from "../../text/format";
import { choose, entriesOf, step, useCompare } from "./store";

/** Beyond this each is still reached one by one. */
const MOST = 300;

export function Changes({ view }: { view: CompareView }) {
  const chosen = useCompare((s) => s.chosen);
  const entries = entriesOf(view);
  const at = chosen === null ? 0 : entries.findIndex((entry) => entry.task === chosen.task) + 1;
  const known = new Map(view.tasks.map((task) => [task.task, task]));
  return (
    <div className="compare-changes">
      <div className="compare-changes-head">
        <h2 className="heading grow">{t.compare.changes}</h2>
        <IconButton
          label={t.compare.previous}
          hint={printKeys("[")}
          size="small"
          disabled={entries.length === 0}
          icon={<ChevronUp size={15} strokeWidth={1.75} />}
          onClick={() => step(-1)}
          data-testid="previous-difference"
        />
        <span className="sm t2 num" aria-live="polite" data-testid="compare-place">
          {t.compare.place(at, entries.length)}
        </span>
        <IconButton
          label={t.compare.next}
          hint={printKeys("]")}
          size="small"
          disabled={entries.length === 0}
          icon={<ChevronDown size={15} strokeWidth={1.75} />}
          onClick={() => step(1)}
          data-testid="next-difference"
        />
      </div>
      <ul aria-label={t.compare.changes} data-testid="compare-changes">
        {entries.slice(0, MOST).map((entry) => (
          <Entry
            key={entry.task ?? ""}
            task={entry.task === null ? null : (known.get(entry.task) ?? null)}
            verdict={view.answer}
            isChosen={chosen !== null && entry.task === chosen.task}
          />
        ))}
      </ul>
      <p className="compare-rest xs t3" data-testid="compare-rest">
        {restOf(view, Math.max(0, view.tasks.length - MOST)).join(" · ")}
      </p>
    </div>
  );
}

function restOf({ same, sameButTime, tasksLeftOff }: CompareView, more: number): string[] {
  const leftOff = tasksLeftOff + more;
  return [
    leftOff > 0 ? t.compare.leftOff(leftOff) : "",
    t.compare.same(same),
    sameButTime > 0 ? t.compare.sameButTime(sameButTime) : "",
  ].filter(Boolean);
}

type EntryProps = { task: ComparedTask | null; verdict: CompareView["answer"]; isChosen: boolean };

function Entry({ task, verdict, isChosen }: EntryProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  return (
    <li className={isChosen ? "chosen" : ""} ref={item}>
      <button
        type="button"
        aria-current={isChosen ? "true" : undefined}
        onClick={() => void choose({ task: task?.task ?? null })}
        data-testid={`difference-${task?.task ?? "answer"}`}
      >
        <Mark task={task} />
        <span className="compare-entry">
          <b className="el" dir="auto" title={task ? visible(task.task) : undefined}>
            {task ? visible(task.title) : t.compare.answer}
          </b>
          <span className="xs t3 el">{task ? whatOf(task) : t.compare.verdict[verdict]}</span>
        </span>
      </button>
    </li>
  );
}

function Mark({ task }: { task: ComparedTask | null }) {
  if (task === null) return <FileText className="icon t2" size={16} strokeWidth={1.75} aria-hidden="true" />;
  const change = task.plan;
  const Icon = change === "kept" ? EqualNot : DIFF_ICON[change];
  return (
    <span className={`diff-mark ${change === "kept" ? "differs" : change}`}>
      <Icon size={12} strokeWidth={2.25} aria-hidden="true" />
    </span>
  );
}

/** In words, the most telling first. */
function whatOf(task: ComparedTask): string {
  const { a, b } = task;
  if (!a || !b) return a ? t.compare.onlyInA : t.compare.onlyInB;
  const told = task.differs.map((what) => {
    if (what === "state") return `${t.words.taskStatus[a.status]} → ${t.words.taskStatus[b.status]}`;
    if (what === "attempts") return `${t.compare.differs.attempts} ${whole(a.attempts)} → ${whole(b.attempts)}`;
    return what === "output" ? t.compare.verdict[task.output] : t.compare.differs[what];
  });
  return told.join(", ");
}
