// The plan itself, when no task is selected: goal, parameters, grants, final answer.
import { FileText } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../../../components/controls/controls";
import type { DraftView } from "../../../ipc/bindings";
import { type Json, objectOf, print, textOf, tryParse } from "../../../ipc/json";
import { edit } from "../../../state/draft";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { JsonText } from "./JsonPart";
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
          <Optional
            label={t.inspector.parameters}
            value={document.parameters}
            isLocked={!view.isDraft}
            onSend={(value) => set("/parameters", value)}
          />
        </Part>
        <Part title={t.inspector.grants} note={t.inspector.grantsNote}>
          <Optional
            label={t.inspector.grants}
            value={document.grants}
            isLocked={!view.isDraft}
            onSend={(value) => set("/grants", value)}
          />
        </Part>
        <Part title={t.inspector.synthesis} note={t.inspector.synthesisNote}>
          <Optional
            label={t.inspector.synthesis}
            value={document.synthesis}
            isLocked={!view.isDraft}
            onSend={(value) => set("/synthesis", value)}
          />
        </Part>
      </div>
    </div>
  );
}

type OptionalProps = {
  label: string;
  value: Json | undefined;
  isLocked: boolean;
  onSend: (value: Json | undefined) => unknown;
};

/** What the plan does not say yet can be begun; an emptied text removes it again. */
function Optional({ label, value, isLocked, onSend }: OptionalProps) {
  if (value !== undefined) return <JsonText label={label} value={value} isLocked={isLocked} onSend={onSend} />;
  return (
    <div className="row">
      <span className="sm t3 grow">{t.inspector.unset}</span>
      {isLocked ? null : (
        <Button size="small" onClick={() => void onSend({})} aria-label={`${t.inspector.set}: ${label}`}>
          {t.inspector.set}
        </Button>
      )}
    </div>
  );
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
