// A person's own version of a new plan: the tasks that have not run, in words and as JSON, and the plan's grants. What comes of
// it is looked at with each change, and nothing runs before it is accepted.
import { useState } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { Select } from "../../components/controls/Select";
import { CodeField } from "../../components/values/CodeField";
import type { ReplanView } from "../../ipc/bindings";
import { isObject, type JsonObject, objectOf, print, textOf, tryParse } from "../../ipc/json";
import { editPlan, editTask, PLAN_FIELDS, tasksIn, useReplan } from "../../state/replan";
import { isOver } from "../../state/replanCards";
import { selectAndShow, useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";

/** Stands for the plan itself among the tasks; no id can be called so. */
const PLAN = "/plan";

export function EditPanel({ view }: { view: ReplanView }) {
  const edited = useReplan((s) => s.edited);
  const proposed = tasksIn(objectOf(tryParse(view.after.document)));
  const open = proposed.filter((task) => !isOver(view, textOf(task.id)));
  const selected = useSelection((s) => s.tasks[0]);
  const [isPlan, setPlan] = useState(false);
  const task = open.find((one) => textOf(one.id) === selected) ?? open[0];
  const options = [
    ...open.map((one) => ({ value: textOf(one.id), label: visible(textOf(one.title) || textOf(one.id)) })),
    { value: PLAN, label: t.replan.editPlan },
  ];
  const choose = (value: string) => {
    setPlan(value === PLAN);
    if (value !== PLAN) selectAndShow([value]);
  };
  const shown = isPlan || !task ? PLAN : textOf(task.id);
  return (
    <section className="replan-part replan-edit" aria-label={t.replan.editing} data-testid="replan-editing">
      <header className="replan-head">
        <h2>{t.replan.editing}</h2>
      </header>
      <p className="sm t2">
        {t.replan.editNote} {t.replan.editEndNote}
      </p>
      <Select label={t.replan.editTask} options={options} value={shown} onChange={choose} testId="edit-task" />
      {shown === PLAN || !task ? (
        <PlanFields edited={edited ?? {}} />
      ) : (
        <TaskFields key={shown} proposed={task} now={tasksIn(edited).find((one) => textOf(one.id) === shown) ?? null} />
      )}
    </section>
  );
}

function TaskFields({ proposed, now }: { proposed: JsonObject; now: JsonObject | null }) {
  const id = textOf(proposed.id);
  if (!now)
    return (
      <div className="row">
        <span className="sm t2 grow">{t.replan.editRemoved}</span>
        <Button onClick={() => editTask(id, proposed)} data-testid="edit-back">
          {t.replan.editBack}
        </Button>
      </div>
    );
  const set = (name: string, text: string) => editTask(id, { ...now, [name]: text });
  return (
    <>
      <label className="form-field">
        <span className="form-label">{t.replan.editTitle}</span>
        <input
          className="field"
          dir="auto"
          value={textOf(now.title)}
          onChange={(event) => set("title", event.target.value)}
          data-testid="edit-title"
        />
      </label>
      <label className="form-field">
        <span className="form-label">{t.replan.editInstruction}</span>
        <textarea
          className="field"
          rows={4}
          dir="auto"
          value={textOf(now.instruction)}
          onChange={(event) => set("instruction", event.target.value)}
          data-testid="edit-instruction"
        />
      </label>
      <JsonPart label={t.replan.editJson} value={now} onChange={(task) => editTask(id, { ...task, id })} />
      <div className="row">
        <Button look="danger" onClick={() => editTask(id, null)} data-testid="edit-remove">
          {t.replan.editRemove}
        </Button>
      </div>
    </>
  );
}

function PlanFields({ edited }: { edited: JsonObject }) {
  const fields = Object.fromEntries(Object.entries(edited).filter(([name]) => PLAN_FIELDS.some((one) => one === name)));
  return <JsonPart label={t.replan.editPlanJson} value={fields} onChange={editPlan} />;
}

/** Text that is no object changes nothing, and says so; what was typed stays. */
function JsonPart({
  label,
  value,
  onChange,
}: {
  label: string;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}) {
  const given = print(value, 2);
  const [typed, setTyped] = useState<{ text: string; from: string } | null>(null);
  const isBad = typed !== null && !isObject(tryParse(typed.text));
  // What was changed in a field beside it shows here, unless something is typed that is not yet whole.
  const text = typed !== null && (isBad || print(objectOf(tryParse(typed.text)), 2) === given) ? typed.text : given;
  const take = (next: string) => {
    setTyped({ text: next, from: given });
    const read = tryParse(next);
    if (isObject(read) && print(read, 2) !== given) onChange(read);
  };
  return (
    <div className="form-field">
      <span className="form-label">{label}</span>
      <CodeField label={label} language="json" value={text} onChange={take} invalid={isBad} testId="edit-json" />
      {isBad ? <FaultLine text={t.replan.badJson} /> : null}
    </div>
  );
}
