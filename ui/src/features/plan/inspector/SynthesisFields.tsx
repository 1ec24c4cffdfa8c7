// How the final answer is made: from the last tasks' outputs as they are, by a template, or by a model.
import { Segments } from "../../../components/controls/controls";
import { CodeField } from "../../../components/values/CodeField";
import type { DraftView } from "../../../ipc/bindings";
import { isObject, type Json, objectOf, textOf } from "../../../ipc/json";
import { t } from "../../../text";
import { namesOfLast } from "./templateNames";
import { useTyped } from "./useTyped";

type Way = "outputs" | "template" | "model";
type Props = { view: DraftView; value: Json | undefined; onSend: (value: Json | undefined) => unknown };

export function SynthesisFields({ view, value, onSend }: Props) {
  const isLocked = !view.isDraft;
  const synthesis = objectOf(value);
  const way: Way = !isObject(value) ? "outputs" : synthesis.template !== undefined ? "template" : "model";
  const choose = (next: Way) => {
    if (isLocked || next === way) return;
    if (next === "outputs") void onSend(undefined);
    else void onSend(next === "template" ? { template: "" } : { model: "synthesizer", instruction: "" });
  };
  return (
    <>
      <Segments
        label={t.inspector.synthesis}
        value={way}
        onChange={choose}
        testId="synthesis"
        choices={(["outputs", "template", "model"] as const).map((id) => ({ value: id, label: t.inspector.ways[id] }))}
      />
      {way === "template" ? (
        <Template
          value={textOf(synthesis.template)}
          names={() => namesOfLast(view)}
          isLocked={isLocked}
          onSend={(text) => onSend({ ...synthesis, template: text })}
        />
      ) : null}
      {way === "model" ? (
        <>
          <Line
            label={t.inspector.model}
            hint={t.inspector.modelHint}
            value={textOf(synthesis.model)}
            isLocked={isLocked}
            onSend={(text) => onSend({ ...synthesis, model: text.trim() })}
          />
          <Line
            label={t.inspector.instruction}
            hint={t.inspector.answerHint}
            value={textOf(synthesis.instruction)}
            isLocked={isLocked}
            lines={3}
            onSend={(text) => onSend({ ...synthesis, instruction: text })}
          />
        </>
      ) : null}
    </>
  );
}

type TemplateProps = {
  value: string;
  names: () => readonly string[];
  isLocked: boolean;
  onSend: (text: string) => unknown;
};

function Template({ value, names, isLocked, onSend }: TemplateProps) {
  const typed = useTyped(value, onSend);
  return (
    <CodeField
      label={t.inspector.sources.template}
      language="template"
      names={names}
      value={typed.text}
      onChange={typed.type}
      onBlur={typed.flush}
      readOnly={isLocked}
      testId="synthesis-template"
    />
  );
}

type LineProps = {
  label: string;
  hint: string;
  value: string;
  isLocked: boolean;
  lines?: number;
  onSend: (text: string) => unknown;
};

function Line({ label, hint, value, isLocked, lines = 1, onSend }: LineProps) {
  const typed = useTyped(value, onSend);
  return (
    <textarea
      className="field"
      aria-label={label}
      placeholder={hint}
      rows={Math.max(lines, typed.text.split("\n").length)}
      dir="auto"
      readOnly={isLocked}
      value={typed.text}
      onChange={(event) => typed.type(event.target.value)}
      onBlur={typed.flush}
    />
  );
}
