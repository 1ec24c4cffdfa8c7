// The right panel: the selected task (or the plan itself when nothing is selected), as fields or as its JSON.
import { FlaskConical } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { IconButton, Tabs } from "../../../components/controls/controls";
import { KindTile } from "../../../components/marks/marks";
import type { DraftTask, DraftView } from "../../../ipc/bindings";
import { objectOf, tryParse } from "../../../ipc/json";
import { useSelection } from "../../../state/selection";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { askTry } from "../tryStore";
import { TaskContext } from "./context";
import { JsonTab } from "./JsonTab";
import { PlanFields } from "./PlanFields";
import { Faults, type PlacedProblem } from "./parts";
import { RenameId } from "./RenameId";
import { Several } from "./Several";
import { TaskFields } from "./TaskFields";

type Tab = "fields" | "json";

export function Inspector({ view }: { view: DraftView }) {
  const selected = useSelection((s) => s.tasks);
  const task = view.tasks.find((x) => x.id === selected[0]);
  if (selected.length > 1) {
    return <Several view={view} ids={selected} />;
  }
  if (!task) return <PlanFields key={view.run} view={view} />;
  return <TaskInspector key={task.id} view={view} task={task} />;
}

function TaskInspector({ view, task }: { view: DraftView; task: DraftTask }) {
  const [tab, setTab] = useState<Tab>("fields");
  const box = useRef<HTMLDivElement>(null);
  const document = useMemo(() => objectOf(tryParse(task.document)), [task.document]);
  const problems = useMemo(() => problemsIn(view, task), [view, task]);
  const context = useMemo(
    () => ({ view, task, document, problems, base: "", isItem: false, isLocked: !view.isDraft }),
    [view, task, document, problems],
  );
  useReveal(box, setTab);
  return (
    <TaskContext.Provider value={context}>
      <div className="inspector" data-testid="inspector" data-task={task.id} ref={box}>
        <header className="inspector-title">
          <KindTile kind={task.taskType} />
          <div className="grow">
            <h2 className="el" dir="auto" title={visible(task.title || task.id)}>
              {visible(task.title || task.id)}
            </h2>
            <RenameId />
          </div>
          <IconButton
            label={t.trying.title}
            size="small"
            icon={<FlaskConical size={15} strokeWidth={1.75} />}
            onClick={() => askTry(task.id)}
            data-testid="try-task"
          />
        </header>
        <Tabs
          label={t.inspector.label}
          panel="inspector-panel"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: "fields", label: t.inspector.tabs.fields },
            { value: "json", label: t.inspector.tabs.json },
          ]}
        />
        <div className="panel-body" id="inspector-panel" role="tabpanel" aria-labelledby={`inspector-panel-${tab}`}>
          <div className="inspector-faults">
            <Faults field="" exact />
          </div>
          {tab === "fields" ? <TaskFields /> : <JsonTab />}
        </div>
      </div>
    </TaskContext.Provider>
  );
}

function problemsIn(view: DraftView, task: DraftTask): PlacedProblem[] {
  return view.problems.flatMap((problem) => {
    if (problem.pointer === task.pointer) return [{ at: "", problem }];
    return problem.pointer.startsWith(`${task.pointer}/`)
      ? [{ at: problem.pointer.slice(task.pointer.length), problem }]
      : [];
  });
}

/** Brings a wanted field into view: the one whose place is the longest beginning of the wanted place. */
function useReveal(box: React.RefObject<HTMLDivElement | null>, setTab: (tab: Tab) => void): void {
  const wanted = useSelection((s) => s.field);
  useEffect(() => {
    if (!wanted) return;
    setTab("fields");
    const timer = window.setTimeout(() => {
      const fields = [...(box.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
      const fits = fields.filter((f) => `${wanted.pointer}/`.startsWith(`${f.dataset.field}/`));
      const best = fits.sort((a, b) => (b.dataset.field?.length ?? 0) - (a.dataset.field?.length ?? 0))[0];
      best?.scrollIntoView?.({ block: "nearest" });
      if (!wanted.enter) return;
      (best?.matches("input, textarea, button")
        ? best
        : best?.querySelector<HTMLElement>("input, textarea, button")
      )?.focus();
    }, 0);
    return () => window.clearTimeout(timer);
  }, [wanted, box, setTab]);
}
