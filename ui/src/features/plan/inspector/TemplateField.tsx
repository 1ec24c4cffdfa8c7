// A text with `{{ name }}` in it: names are completed from the task's other inputs, or from what `with` gives it. The same
// for the tool that fills templates, whose names are its argument `with`.
import { CodeField } from "../../../components/values/CodeField";
import { type JsonObject, objectOf, textOf } from "../../../ipc/json";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { namesOfInputs, schemasOf } from "./templateNames";
import { useTyped } from "./useTyped";

export function TemplateField({ name, field, object }: { name: string; field: string; object: JsonObject | null }) {
  const { view, document, isLocked, problems } = useTask();
  const set = useSetField();
  const inputs = objectOf(document.inputs);
  const given = object ? object.with : (inputs.with ?? {});
  const typed = useTyped(object ? textOf(object.$template) : textOf(inputs[name]), (text) =>
    set(field, object ? { ...object, $template: text } : text),
  );
  return (
    <div data-field={field}>
      <CodeField
        label={name}
        language="template"
        names={() => namesOfInputs(document, name, given, schemasOf(view, useTools.getState().tools ?? []))}
        hint={t.inspector.templateHint}
        value={typed.text}
        onChange={typed.type}
        onBlur={typed.flush}
        readOnly={isLocked}
        invalid={problems.some((p) => p.at.startsWith(field))}
        testId={`value-${name}`}
      />
    </div>
  );
}
