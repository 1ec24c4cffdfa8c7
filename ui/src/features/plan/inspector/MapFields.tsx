// A map: over which list, how many at once, and the task that is done for each item, with fields of its own.
import { useMemo } from "react";
import { Select } from "../../../components/controls/Select";
import { KindIcon } from "../../../components/marks/marks";
import { number, objectOf, print, textOf } from "../../../ipc/json";
import { t } from "../../../text";
import { KINDS } from "../templates";
import { TaskContext, useSetField, useTask } from "./context";
import { Faults, Section, TextLine } from "./parts";

export function MapFields({ children }: { children: React.ReactNode }) {
  const { document, isLocked } = useTask();
  const set = useSetField();
  const inputs = Object.keys(objectOf(document.inputs));
  const over = textOf(document.over);
  const most = document.max_parallel === undefined ? "" : print(document.max_parallel);
  return (
    <>
      <Section title={t.inspector.over} field="/over">
        <div className="inspector-pairs">
          <span>{t.inspector.list}</span>
          <Select
            label={t.inspector.over}
            mono
            value={over || null}
            placeholder={t.inspector.chooseInput}
            options={inputs.map((name) => ({ value: name, label: name }))}
            disabled={isLocked || (document.over !== undefined && over === "")}
            onChange={(name) => void set("/over", name)}
            testId="field-over"
          />
          <span>{t.inspector.atOnce}</span>
          <TextLine
            label={t.inspector.atOnce}
            field="/max_parallel"
            value={most}
            hint={t.inspector.unset}
            onSend={(text) =>
              set("/max_parallel", /^\d+$/.test(text.trim()) ? number(text.trim()) : text.trim() || undefined)
            }
          />
        </div>
        <Faults field="/max_parallel" />
      </Section>
      <Inner>{children}</Inner>
    </>
  );
}

/** The parts of a task, reading and writing inside `/task`. */
function Inner({ children }: { children: React.ReactNode }) {
  const outer = useTask();
  const inner = useMemo(() => {
    const document = objectOf(outer.document.task);
    const prefix = "/task";
    return {
      ...outer,
      document,
      base: `${outer.base}${prefix}`,
      task: { ...outer.task, taskType: textOf(document.task_type) || "agent" },
      isItem: true,
      problems: outer.problems.flatMap((p) =>
        p.at === prefix || p.at.startsWith(`${prefix}/`) ? [{ ...p, at: p.at.slice(prefix.length) }] : [],
      ),
    };
  }, [outer]);
  return (
    <TaskContext.Provider value={inner}>
      <div className="inner-task" data-testid="inner-task">
        <h3 className="heading inner-head">{t.inspector.eachItem}</h3>
        <Faults field="" exact />
        <InnerKind />
        {children}
      </div>
    </TaskContext.Provider>
  );
}

const INNER_KINDS = KINDS.filter((kind) => kind !== "map");

function InnerKind() {
  const { task, document, isLocked } = useTask();
  const set = useSetField();
  return (
    <>
      <Section title={t.inspector.instruction} field="/instruction">
        <TextLine
          label={`${t.inspector.eachItem}: ${t.inspector.instruction}`}
          field="/instruction"
          value={textOf(document.instruction)}
          hint={t.inspector.instructionHint}
          lines={2}
          testId="inner-instruction"
          onSend={(text) => set("/instruction", text)}
        />
      </Section>
      <Section title={t.inspector.kind} field="/task_type">
        <Select
          label={`${t.inspector.eachItem}: ${t.inspector.kind}`}
          value={task.taskType}
          options={INNER_KINDS.map((kind) => ({
            value: kind,
            label: t.words.kind[kind] ?? kind,
            note: t.words.kindNote[kind] ?? "",
            icon: <KindIcon kind={kind} />,
          }))}
          disabled={isLocked}
          onChange={(kind) => void set("/task_type", kind)}
          testId="inner-kind"
        />
      </Section>
    </>
  );
}
