// The whole task as JSON: what the fields don't show can be set here. Changed fields are sent one by one, in one edit.
import { useState } from "react";
import { FaultLine } from "../../../components/controls/controls";
import { CodeField } from "../../../components/values/CodeField";
import type { PlanEdit } from "../../../ipc/bindings";
import { isObject, type JsonObject, parse, print, step } from "../../../ipc/json";
import { edit } from "../../../state/draft";
import { t } from "../../../text";
import { useTask } from "./context";
import { Faults } from "./parts";
import { useTyped } from "./useTyped";

export function JsonTab() {
  const { task, document, isLocked } = useTask();
  const [fault, setFault] = useState<string | null>(null);
  const typed = useTyped(print(document, 2), (text) => {
    const next = read(text);
    setFault(next.fault);
    if (next.object) return edit(changes(task.id, document, next.object));
  });
  return (
    <section className="inspector-section" aria-label={t.inspector.json}>
      <CodeField
        label={t.inspector.json}
        language="json"
        value={typed.text}
        onChange={typed.type}
        onBlur={typed.flush}
        readOnly={isLocked}
        invalid={fault !== null}
        testId="field-json"
      />
      {fault ? <FaultLine text={fault} /> : null}
      <Faults field="" />
    </section>
  );
}

function read(text: string): { object: JsonObject | null; fault: string | null } {
  try {
    const value = parse(text);
    return isObject(value) ? { object: value, fault: null } : { object: null, fault: t.inspector.jsonShape };
  } catch (thrown) {
    return { object: null, fault: t.inspector.jsonFault(thrown instanceof Error ? `${thrown.message}.` : "") };
  }
}

/** The edits that lead from one document of a task to another. Pure. */
export function changes(id: string, before: JsonObject, after: JsonObject): PlanEdit[] {
  const edits: PlanEdit[] = [];
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key) && key !== "id") edits.push({ setTask: { id, field: step(key), value: null } });
  for (const [key, value] of Object.entries(after)) {
    if (key === "id") continue;
    const text = print(value);
    if (!Object.hasOwn(before, key) || print(before[key] ?? null) !== text)
      edits.push({ setTask: { id, field: step(key), value: text } });
  }
  const renamed = after.id;
  if (typeof renamed === "string" && renamed !== before.id) edits.push({ renameTask: { id, to: renamed } });
  return edits;
}
