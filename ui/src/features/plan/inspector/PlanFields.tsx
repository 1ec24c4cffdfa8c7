// The plan itself, when no task is selected: goal, parameters, grants, final answer.
import { FileText } from "lucide-react";
import { useMemo } from "react";
import type { DraftView } from "../../../ipc/bindings";
import { type Json, type JsonObject, objectOf, print, textOf, tryParse } from "../../../ipc/json";
import { edit } from "../../../state/draft";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { BudgetFields, GrantFields } from "./GrantFields";
import { SchemaPart } from "./SchemaPart";
import { SynthesisFields } from "./SynthesisFields";
import { useTyped } from "./useTyped";

export function PlanFields({ view }: { view: DraftView }) {
  const document = useMemo(() => objectOf(tryParse(view.document)), [view.document]);
  const set = (field: string, value: Json | undefined) =>
    edit([{ setPlan: { field, value: value === undefined ? null : print(value) } }]);
  const goal = useTyped(textOf(document.goal), (text) => set("/goal", text.trim() === "" ? undefined : text));
  return (
    <div className="inspector" data-testid="inspector-plan">
      <header className="inspector-title">
        <span className="tile x" aria-hidden="true">
          <FileText size={16} strokeWidth={1.75} />
        </span>
        <div className="grow">
          <h2 className="el" dir="auto">
            {visible(view.title)}
          </h2>
          <p className="xs t3 el" title={view.path ?? undefined}>
            {view.path ? visible(view.path) : t.inspector.nothingNote}
          </p>
        </div>
      </header>
      <div className="panel-body">
        <Part title={t.inspector.goal}>
          <textarea
            className="field"
            aria-label={t.inspector.goal}
            placeholder={t.inspector.goalHint}
            rows={3}
            dir="auto"
            readOnly={!view.isDraft}
            value={goal.text}
            onChange={(event) => goal.type(event.target.value)}
            onBlur={goal.flush}
            data-testid="field-goal"
          />
        </Part>
        <Part title={t.inspector.parameters} note={t.inspector.parametersNote}>
          <SchemaPart
            label={t.inspector.parameters}
            value={{ type: "object", properties: objectOf(document.parameters) }}
            isLocked={!view.isDraft}
            hasRequired={false}
            onChange={(value) => set("/parameters", filled(objectOf(objectOf(value).properties)))}
            testId="parameter-fields"
          />
        </Part>
        <Part title={t.inspector.grants} note={t.inspector.grantsNote}>
          <GrantFields value={document.grants} isLocked={!view.isDraft} onSend={set} />
        </Part>
        <Part title={t.inspector.budget} note={t.inspector.budgetNote}>
          <BudgetFields value={document.budget} isLocked={!view.isDraft} onSend={set} />
        </Part>
        <Part title={t.inspector.synthesis} note={t.inspector.synthesisNote}>
          <SynthesisFields view={view} value={document.synthesis} onSend={(value) => set("/synthesis", value)} />
        </Part>
      </div>
    </div>
  );
}

/** What holds nothing is left out of the document. */
function filled(value: JsonObject): Json | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

function Part({ title, note, children }: { title: string; note?: string; children: React.ReactNode }) {
  return (
    <section className="inspector-section" aria-label={title}>
      <h3 className="heading">{title}</h3>
      {note ? <p className="xs t3">{note}</p> : null}
      {children}
    </section>
  );
}
