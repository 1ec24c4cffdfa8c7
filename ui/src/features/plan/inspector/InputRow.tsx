// One input: its name, the kind of its source, and the source itself.
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../../../components/controls/controls";
import { Select } from "../../../components/controls/Select";
import { isObject, type Json, objectOf, step, textOf, tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { nameOf, useReadable, useSetField, useTask } from "./context";
import type { InputSpec } from "./Inputs";
import { LastValue } from "./LastValue";
import { LiteralField } from "./LiteralField";
import { PathField } from "./PathField";
import { Faults, TextLine } from "./parts";
import { convert, ITEM_KINDS, SOURCE_KINDS, type SourceKind, sourceKind, withPath } from "./source";
import { TemplateField } from "./TemplateField";

type Props = { spec: InputSpec; startRenaming: boolean; onRenamed: () => void };

export function InputRow({ spec, startRenaming, onRenamed }: Props) {
  const { view, isLocked, isItem } = useTask();
  const readable = useReadable();
  const set = useSetField();
  const field = `/inputs${step(spec.name)}`;
  const kind = sourceKind(spec.value, spec.schema);
  const parameters = Object.keys(objectOf(objectOf(tryParse(view.document)).parameters));
  const choose = (next: string) => void set(field, convert(spec.value, next as SourceKind, readable, parameters));
  const hint = typeof spec.schema?.description === "string" ? spec.schema.description : "";
  return (
    <div className="input-row" data-field={field} data-testid={`input-${spec.name}`}>
      <div className="input-head">
        {spec.schema || isLocked ? (
          <span className="mono el" title={hint}>
            {spec.name}
          </span>
        ) : (
          <InputName name={spec.name} start={startRenaming} onRenamed={onRenamed} />
        )}
        {spec.isRequired && spec.value === undefined ? (
          <span className="xs tone-failed">{t.inspector.required}</span>
        ) : null}
        <span className="grow" />
        <Select
          className="source-kind"
          label={t.inspector.sourceOf(spec.name)}
          value={kind}
          disabled={isLocked}
          options={(isItem ? [...ITEM_KINDS, ...SOURCE_KINDS] : SOURCE_KINDS).map((value) => ({
            value,
            label: t.inspector.sources[value],
          }))}
          onChange={choose}
          testId={`source-${spec.name}`}
        />
        {spec.value !== undefined && !isLocked ? (
          <IconButton
            label={t.inspector.removeInput(spec.name)}
            size="small"
            icon={<X size={13} />}
            onClick={() => void set(field, undefined)}
            data-testid={`remove-input-${spec.name}`}
          />
        ) : null}
      </div>
      <Source spec={spec} kind={kind} field={field} parameters={parameters} hint={hint} />
      <Faults field={field} />
    </div>
  );
}

function InputName({ name, start, onRenamed }: { name: string; start: boolean; onRenamed: () => void }) {
  const { document } = useTask();
  const set = useSetField();
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const send = () => {
    onRenamed();
    const to = text.trim();
    const inputs = objectOf(document.inputs);
    if (to === "" || to === name || Object.hasOwn(inputs, to)) {
      setText(name);
      return;
    }
    // The whole object is written, so that the order of the inputs stays.
    const renamed = Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key === name ? to : key, value]));
    void set("/inputs", renamed);
  };
  return (
    <input
      className="input-name mono"
      aria-label={t.inspector.inputName}
      // biome-ignore lint/a11y/noAutofocus: the person has just added this input
      autoFocus={start}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={send}
      onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && event.currentTarget.blur()}
    />
  );
}

type SourceProps = { spec: InputSpec; kind: SourceKind; field: string; parameters: readonly string[]; hint: string };

function Source({ spec, kind, field, parameters, hint }: SourceProps) {
  const { document, isLocked, problems } = useTask();
  const set = useSetField();
  const object = isObject(spec.value) ? spec.value : {};
  const send = (value: Json) => set(field, value);
  const testId = `value-${spec.name}`;
  switch (kind) {
    case "from":
      return <FromTask object={object} field={field} name={spec.name} />;
    case "param":
      return (
        <Select
          label={spec.name}
          value={textOf(object.$param) || null}
          mono
          disabled={isLocked}
          invalid={problems.some((p) => p.at.startsWith(field))}
          placeholder={parameters.length > 0 ? t.inspector.chooseParameter : t.inspector.noParameters}
          options={parameters.map((p) => ({ value: p, label: p }))}
          onChange={(p) => void send({ $param: p })}
          testId={testId}
        />
      );
    case "template":
      return <TemplateField name={spec.name} field={field} object={object} />;
    case "item":
      return (
        <TextLine
          label={`${spec.name}: ${t.inspector.path}`}
          field={field}
          mono
          value={textOf(object.$item)}
          hint={t.inspector.itemHint}
          testId={testId}
          onSend={(text) =>
            send({ $item: text.trim() === "" || text.startsWith("/") ? text.trim() : `/${text.trim()}` })
          }
        />
      );
    case "index":
      return <p className="sm t3">{t.inspector.indexNote}</p>;
    case "secret":
      return (
        <TextLine
          label={spec.name}
          field={field}
          value={textOf(object.$secret)}
          hint={t.inspector.secretHint}
          mono
          testId={testId}
          onSend={(text) => send({ $secret: text.trim() })}
        />
      );
    case "json":
      return <LiteralField spec={spec} field={field} />;
    case "text": {
      if (spec.name === "template" && document.tool === "text.template")
        return <TemplateField name={spec.name} field={field} object={null} />;
      const text = textOf(spec.value);
      const lines = text.includes("\n") || text.length > 40 ? 2 : 1;
      return (
        <TextLine
          label={spec.name}
          field={field}
          value={text}
          hint={hint || t.inspector.unset}
          lines={lines}
          testId={testId}
          onSend={send}
        />
      );
    }
  }
}

function FromTask({ object, field, name }: { object: Record<string, Json>; field: string; name: string }) {
  const { view, isLocked, problems } = useTask();
  const readable = useReadable();
  const set = useSetField();
  const from = textOf(object.$from);
  const path = textOf(object.path);
  const known = readable.includes(from) || from === "" ? readable : [from, ...readable];
  return (
    <>
      <div className="input-from">
        <Select
          label={t.inspector.sourceOf(name)}
          value={from || null}
          disabled={isLocked}
          invalid={problems.some((p) => p.at.startsWith(field))}
          placeholder={readable.length > 0 ? t.inspector.chooseTask : t.inspector.noReadable}
          options={known.map((id) => ({ value: id, label: visible(nameOf(view, id)), note: id }))}
          onChange={(id) => void set(field, withPath(id, path))}
          testId={`value-${name}`}
        />
        <PathField name={name} field={field} from={from} path={path} />
      </div>
      <LastValue name={name} from={from} path={path} />
    </>
  );
}
