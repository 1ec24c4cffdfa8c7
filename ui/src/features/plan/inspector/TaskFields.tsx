// The fields of a task by kind: what it does, what it gets, when it runs, how patient it is.
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../../../components/controls/controls";
import { Select } from "../../../components/controls/Select";
import { KindIcon } from "../../../components/marks/marks";
import { CodeField } from "../../../components/values/CodeField";
import { type Json, parse, textOf } from "../../../ipc/json";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { KINDS } from "../templates";
import { AgentFields } from "./AgentFields";
import { useSetField, useTask } from "./context";
import { Dependencies } from "./Dependencies";
import { FormFields } from "./FormFields";
import { Holds } from "./Holds";
import { Inputs } from "./Inputs";
import { JsonPart } from "./JsonPart";
import { MapFields } from "./MapFields";
import { Patience } from "./Patience";
import { Faults, Section, SwitchLine, TextLine } from "./parts";
import { SchemaPart } from "./SchemaPart";
import { SubplanFields } from "./SubplanFields";
import { namesOfInputs, schemasOf } from "./templateNames";
import { useTyped } from "./useTyped";

export function TaskFields() {
  const { task, document } = useTask();
  const set = useSetField();
  const kind = task.taskType;
  return (
    <>
      <Section title={t.inspector.title} field="/title">
        <TextLine
          label={t.inspector.title}
          field="/title"
          value={textOf(document.title)}
          hint={task.id}
          isName
          testId="field-title"
          onSend={(text) => set("/title", text.trim() === "" ? undefined : text)}
        />
      </Section>
      <Section title={t.inspector.instruction} field="/instruction">
        <TextLine
          label={t.inspector.instruction}
          field="/instruction"
          value={textOf(document.instruction)}
          hint={t.inspector.instructionHint}
          lines={2}
          testId="field-instruction"
          onSend={(text) => set("/instruction", text)}
        />
      </Section>
      <KindSection />
      <OfKind />
      <Inputs />
      {kind === "map" ? (
        <MapFields>
          <OfKind />
          <Inputs />
          <SchemaSection />
        </MapFields>
      ) : null}
      <Dependencies />
      {kind === "human" ? null : <SchemaSection />}
      <Conditions />
      <Patience />
      <Holds />
    </>
  );
}

/** What only this kind of task has. */
function OfKind() {
  const { task, document } = useTask();
  switch (task.taskType) {
    case "tool":
      return <ToolSection />;
    case "code":
      return <SourceSection />;
    case "human":
      return <FormFields />;
    case "agent":
    case "model":
      return <AgentFields />;
    case "subplan":
      return (
        <>
          <SubplanFields />
          <JsonPart title={t.inspector.planOfIt} field="/plan" value={document.plan} />
        </>
      );
    default:
      return null;
  }
}

function KindSection() {
  const { task, isLocked } = useTask();
  const set = useSetField();
  const options = KINDS.map((kind) => ({
    value: kind,
    label: t.words.kind[kind] ?? kind,
    note: t.words.kindNote[kind] ?? "",
    icon: <KindIcon kind={kind} />,
  }));
  return (
    <Section title={t.inspector.kind} field="/task_type">
      <Select
        label={t.inspector.kind}
        value={task.taskType}
        options={options}
        disabled={isLocked}
        onChange={(kind) => void set("/task_type", kind)}
        testId="field-kind"
      />
    </Section>
  );
}

function ToolSection() {
  const { document, problems, isLocked } = useTask();
  const set = useSetField();
  const tools = useTools((s) => s.tools);
  const options = useMemo(
    () => (tools ?? []).map((tool) => ({ value: tool.name, label: tool.name, note: t.words.effect[tool.effect] })),
    [tools],
  );
  const chosen = tools?.find((tool) => tool.name === document.tool);
  return (
    <Section title={t.inspector.tool} note={chosen ? t.words.effect[chosen.effect] : null} field="/tool">
      <Select
        label={t.inspector.tool}
        mono
        value={textOf(document.tool) || null}
        options={options}
        placeholder={t.inspector.chooseTool}
        disabled={isLocked}
        invalid={problems.some((p) => p.at === "/tool")}
        onChange={(name) => void set("/tool", name)}
        testId="field-tool"
      />
      {chosen ? <p className="xs t3">{chosen.description}</p> : null}
    </Section>
  );
}

function SourceSection() {
  const { view, document, problems, isLocked } = useTask();
  const set = useSetField();
  const typed = useTyped(textOf(document.source), (text) => set("/source", text));
  return (
    <Section title={t.inspector.source} field="/source">
      <CodeField
        label={t.inspector.source}
        language="javascript"
        names={() => namesOfInputs(document, "", undefined, schemasOf(view, useTools.getState().tools ?? []))}
        value={typed.text}
        onChange={typed.type}
        onBlur={typed.flush}
        readOnly={isLocked}
        invalid={problems.some((p) => p.at === "/source")}
        testId="field-source"
      />
      <p className="xs t3">{t.inspector.sourceNote}</p>
    </Section>
  );
}

function SchemaSection() {
  const { document, isLocked } = useTask();
  const set = useSetField();
  const value = document.output_schema;
  const begin = (
    <Button
      look="ghost"
      size="small"
      icon={<Plus size={13} />}
      onClick={() => void set("/output_schema", parse('{"type":"object","properties":{}}'))}
      data-testid="add-output-schema"
    >
      {t.inspector.addSchema}
    </Button>
  );
  const drop = (
    <Button look="ghost" size="small" onClick={() => void set("/output_schema", undefined)}>
      {t.inspector.dropSchema}
    </Button>
  );
  if (value === undefined && isLocked) return null;
  return (
    <Section
      title={t.inspector.outputSchema}
      field="/output_schema"
      action={isLocked ? null : value === undefined ? begin : drop}
    >
      {value === undefined ? null : (
        <SchemaPart
          label={t.inspector.outputSchema}
          value={value}
          isLocked={isLocked}
          anyRoot
          onChange={(next) => set("/output_schema", next)}
          testId="output-schema"
        />
      )}
      <Faults field="/output_schema" />
    </Section>
  );
}

function Conditions() {
  const { document } = useTask();
  const set = useSetField();
  const put = (field: string) => (text: string) => set(field, text.trim() === "" ? undefined : text);
  const flag = (field: string, on: boolean, value: Json) => void set(field, on ? value : undefined);
  return (
    <Section title={t.inspector.conditions}>
      <div className="inspector-pairs">
        <span>{t.inspector.when}</span>
        <TextLine
          label={t.inspector.when}
          field="/when"
          mono
          value={textOf(document.when)}
          hint={t.inspector.whenHint}
          testId="field-when"
          onSend={put("/when")}
        />
        <Faults field="/when" />
        <span>{t.inspector.check}</span>
        <TextLine
          label={t.inspector.check}
          field="/check"
          mono
          value={textOf(document.check)}
          hint={t.inspector.checkHint}
          testId="field-check"
          onSend={put("/check")}
        />
        <Faults field="/check" />
      </div>
      <SwitchLine
        label={t.inspector.approval}
        note={t.inspector.approvalNote}
        field="/approval"
        on={document.approval === "before"}
        onChange={(on) => flag("/approval", on, "before")}
        testId="field-approval"
      />
      <SwitchLine
        label={t.inspector.optional}
        note={t.inspector.optionalNote}
        field="/optional"
        on={document.optional === true}
        onChange={(on) => flag("/optional", on, true)}
        testId="field-optional"
      />
      <SwitchLine
        label={t.inspector.idempotent}
        note={t.inspector.idempotentNote}
        field="/idempotent"
        on={document.idempotent === true}
        onChange={(on) => flag("/idempotent", on, true)}
        testId="field-idempotent"
      />
    </Section>
  );
}
