// What the task is given: for a tool its arguments by schema, else named inputs; each with the place it comes from.
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../../components/controls/controls";
import { isObject, type Json, type JsonObject, objectOf, step, textOf, tryParse } from "../../../ipc/json";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { InputRow } from "./InputRow";
import { Faults, Section } from "./parts";

export type InputSpec = { name: string; schema: JsonObject | null; isRequired: boolean; value: Json | undefined };

export function Inputs() {
  const { task, document, isLocked } = useTask();
  const set = useSetField();
  const specs = useSpecs();
  const [added, setAdded] = useState<string | null>(null);
  const isTool = task.taskType === "tool";
  const add = () => {
    const name = freeName(specs.map((s) => s.name));
    setAdded(name);
    void set(`/inputs${step(name)}`, "");
  };
  if (document.inputs !== undefined && !isObject(document.inputs)) {
    return (
      <Section title={t.inspector.inputs}>
        <Faults field="/inputs" />
      </Section>
    );
  }
  return (
    <Section
      title={isTool ? t.inspector.arguments : t.inspector.inputs}
      field="/inputs"
      action={
        isLocked ? null : (
          <Button look="ghost" size="small" icon={<Plus size={13} />} onClick={add} data-testid="add-input">
            {t.inspector.addInput}
          </Button>
        )
      }
    >
      {specs.length === 0 ? <p className="sm t3">{t.inspector.noInputs}</p> : null}
      {specs.map((spec) => (
        <InputRow key={spec.name} spec={spec} startRenaming={spec.name === added} onRenamed={() => setAdded(null)} />
      ))}
    </Section>
  );
}

function useSpecs(): InputSpec[] {
  const { task, document } = useTask();
  const tools = useTools((s) => s.tools);
  return useMemo(() => {
    const inputs = objectOf(document.inputs);
    const tool = task.taskType === "tool" ? tools?.find((x) => x.name === textOf(document.tool)) : undefined;
    const schema = objectOf(tryParse(tool?.arguments));
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = Object.entries(objectOf(schema.properties));
    const known = properties.map(([name, property]) => ({
      name,
      schema: objectOf(property),
      isRequired: required.has(name),
      value: inputs[name],
    }));
    const others = Object.entries(inputs).filter(([name]) => !properties.some(([p]) => p === name));
    const sorted = [...known.filter((s) => s.isRequired), ...known.filter((s) => !s.isRequired)];
    return [...sorted, ...others.map(([name, value]) => ({ name, schema: null, isRequired: false, value }))];
  }, [document, task.taskType, tools]);
}

function freeName(taken: readonly string[]): string {
  const base = t.inspector.newInput;
  if (!taken.includes(base)) return base;
  let n = 2;
  while (taken.includes(`${base}_${n}`)) n++;
  return `${base}_${n}`;
}
