// Everything that differs between two versions, field by field: the picture's twin as text.
import { ChevronDown, ChevronUp, CircleCheck, ShieldAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { DIFF_ICON } from "../../../components/canvas/CardMarks";
import { IconButton, Segments } from "../../../components/controls/controls";
import { printKeys } from "../../../components/controls/keys";
import type { DraftView, EdgeDiff, TaskDiff } from "../../../ipc/bindings";
import { namesOf } from "../../../state/cards";
import { selectAndShow, useSelection } from "../../../state/selection";
import { type Compared, compare, useVersions } from "../../../state/versions";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { changesOf, isSame, stepChange } from "./changes";
import { FieldChanges } from "./FieldChanges";

/** Beyond this the picture says where; each is still reached one by one. */
const MOST = 300;

type Props = { view: DraftView; compared: Compared };

export function DiffPanel({ view, compared }: Props) {
  const { diff } = compared;
  const changes = changesOf(diff);
  return (
    <section className="inspector diff" aria-label={t.versions.comparison} data-testid="diff-panel">
      <header className="diff-head">
        <h2 className="el">{t.versions.title(nameOf(compared.from, view), nameOf(compared.to, view))}</h2>
        <Scope view={view} compared={compared} />
        <Steps changes={changes} />
      </header>
      <div className="panel-body diff-body">
        <Meaning compared={compared} />
        {changes.length > 0 ? (
          <ul className="diff-tasks" aria-label={t.versions.tasks}>
            {changes.slice(0, MOST).map((task) => (
              <Task key={task.task} task={task} />
            ))}
            {changes.length > MOST ? <li className="diff-part sm t3">{t.canvas.more(changes.length - MOST)}</li> : null}
          </ul>
        ) : null}
        <Edges compared={compared} edges={diff.edges} />
        {diff.plan.length > 0 ? (
          <section className="diff-part">
            <h3 className="heading">{t.versions.plan}</h3>
            <FieldChanges fields={diff.plan} />
          </section>
        ) : null}
        {diff.moved.length > 0 ? <p className="sm t3 diff-part">{t.versions.movedTasks(diff.moved.length)}</p> : null}
        {diff.isReordered ? <p className="sm t3 diff-part">{t.versions.reordered}</p> : null}
      </div>
    </section>
  );
}

function nameOf(revision: number, view: DraftView): string {
  const name = useVersions.getState().revisions?.find((r) => r.revision === revision)?.name;
  if (name) return t.versions.named(revision, visible(name));
  return revision === view.revision ? t.versions.isNow(revision) : t.versions.revision(revision);
}

/** Everything since the chosen version, or only what its own step did. */
function Scope({ view, compared }: Props) {
  const chosen = useVersions((s) => s.chosen) ?? compared.from;
  const before = useVersions((s) => {
    const at = s.revisions?.findIndex((r) => r.revision === chosen) ?? -1;
    return at < 0 ? undefined : s.revisions?.[at + 1]?.revision;
  });
  if (before === undefined) return null;
  const isStep = compared.to === chosen;
  return (
    <Segments
      label={t.versions.scope}
      choices={[
        { value: "since", label: t.versions.since },
        { value: "step", label: t.versions.step },
      ]}
      value={isStep ? "step" : "since"}
      onChange={(value) =>
        void (value === "step"
          ? compare(view.run, chosen, before, chosen)
          : compare(view.run, chosen, chosen, view.revision))
      }
      testId="diff-scope"
    />
  );
}

function Steps({ changes }: { changes: readonly TaskDiff[] }) {
  const chosen = useSelection((s) => s.tasks[0]);
  const at = changes.findIndex((change) => change.task === chosen) + 1;
  return (
    <div className="row diff-steps">
      <IconButton
        label={t.versions.previous}
        hint={printKeys("[")}
        size="small"
        disabled={changes.length === 0}
        icon={<ChevronUp size={15} strokeWidth={1.75} />}
        onClick={() => stepChange(changes, -1)}
      />
      <span className="sm t2 num" aria-live="polite">
        {t.versions.place(at, changes.length)}
      </span>
      <IconButton
        label={t.versions.next}
        hint={printKeys("]")}
        size="small"
        disabled={changes.length === 0}
        icon={<ChevronDown size={15} strokeWidth={1.75} />}
        onClick={() => stepChange(changes, 1)}
        data-testid="next-change"
      />
    </div>
  );
}

function Meaning({ compared }: { compared: Compared }) {
  const { diff } = compared;
  const Icon = diff.executes ? ShieldAlert : CircleCheck;
  const text = isSame(diff) ? t.versions.same : diff.executes ? t.versions.needsApproval : t.versions.onlyLooks;
  return (
    <p className="diff-meaning sm t2">
      <Icon className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      {text}
    </p>
  );
}

function Task({ task }: { task: TaskDiff }) {
  const isChosen = useSelection((s) => s.tasks[0] === task.task);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  if (task.change === "kept") return null;
  const Icon = DIFF_ICON[task.change];
  return (
    <li className={isChosen ? "chosen" : ""} ref={item} data-testid={`change-${task.task}`}>
      <button
        type="button"
        className="diff-task"
        aria-current={isChosen ? "true" : undefined}
        onClick={() => selectAndShow([task.task])}
      >
        <span className={`diff-mark ${task.change}`}>
          <Icon size={12} strokeWidth={2.25} aria-hidden="true" />
        </span>
        <b className="el grow" dir="auto">
          {visible(task.title)}
        </b>
        <span className="xs t3">{t.versions.change[task.change]}</span>
      </button>
      <FieldChanges fields={task.fields} />
    </li>
  );
}

function Edges({ compared, edges }: { compared: Compared; edges: readonly EdgeDiff[] }) {
  if (edges.length === 0) return null;
  const names = new Map([...namesOf(compared.before), ...namesOf(compared.after)]);
  const name = (id: string) => visible(names.get(id) ?? id);
  return (
    <section className="diff-part">
      <h3 className="heading">{t.versions.connections}</h3>
      <ul className="diff-edges">
        {edges.map((edge) => {
          const change = edge.isAdded ? "added" : "removed";
          const Icon = DIFF_ICON[change];
          return (
            <li key={`${edge.from}→${edge.to}${change}`} className="sm">
              <span className={`diff-mark ${change}`} title={t.versions.change[change]}>
                <Icon size={12} strokeWidth={2.25} aria-label={t.versions.change[change]} />
              </span>
              {t.versions.connected(name(edge.from), name(edge.to))}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
