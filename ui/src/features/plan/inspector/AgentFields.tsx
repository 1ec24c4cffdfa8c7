// What an agent or model call may use: its tools, its steps, its model.
import { X } from "lucide-react";
import { useEffect } from "react";
import { Select } from "../../../components/controls/Select";
import { EffectIcon } from "../../../components/marks/marks";
import { number, print, textOf } from "../../../ipc/json";
import { readModels, useModels } from "../../../state/models";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { useSetField, useTask } from "./context";
import { Section, TextLine } from "./parts";

export function AgentFields() {
  const { task, document, isLocked } = useTask();
  const set = useSetField();
  const tools = useTools((s) => s.tools) ?? [];
  const chosen = (Array.isArray(document.tools) ? document.tools : []).map(textOf);
  const models = useModelNames();
  const steps = document.max_steps === undefined ? "" : print(document.max_steps);
  return (
    <>
      {task.taskType === "agent" ? (
        <Section title={t.inspector.tools} field="/tools">
          <div className="chips">
            {chosen.map((name) => (
              <span key={name} className="chip">
                <EffectIcon effect={tools.find((x) => x.name === name)?.effect ?? "pure"} size={13} />
                <span className="mono">{name}</span>
                {isLocked ? null : (
                  <button
                    type="button"
                    aria-label={t.inspector.removeInput(name)}
                    onClick={() =>
                      void set(
                        "/tools",
                        chosen.filter((x) => x !== name),
                      )
                    }
                  >
                    <X size={12} aria-hidden="true" />
                  </button>
                )}
              </span>
            ))}
          </div>
          {isLocked ? null : (
            <Select
              label={t.inspector.addTool}
              value={null}
              placeholder={t.inspector.addTool}
              options={tools
                .filter((x) => !chosen.includes(x.name))
                .map((x) => ({ value: x.name, label: x.name, note: t.words.effect[x.effect] }))}
              onChange={(name) => void set("/tools", [...chosen, name])}
            />
          )}
        </Section>
      ) : null}
      <Section title={t.inspector.model} field="/model">
        <TextLine
          label={t.inspector.model}
          field="/model"
          mono
          value={textOf(document.model)}
          hint={t.inspector.modelHint}
          offers={models}
          onSend={(text) => set("/model", text.trim() || undefined)}
        />
        {task.taskType === "agent" ? (
          <div className="inspector-pairs">
            <span>{t.inspector.steps}</span>
            <TextLine
              label={t.inspector.steps}
              field="/max_steps"
              value={steps}
              hint="12"
              onSend={(text) =>
                set("/max_steps", /^\d+$/.test(text.trim()) ? number(text.trim()) : text.trim() || undefined)
              }
            />
          </div>
        ) : null}
      </Section>
    </>
  );
}

/** Roles, which the settings fill, and the models that can be asked. */
function useModelNames(): string[] {
  const models = useModels((s) => s.view);
  useEffect(() => {
    if (!useModels.getState().view) void readModels();
  }, []);
  return [...(models?.roles.map((role) => role.role) ?? []), ...(models?.models.map((model) => model.name) ?? [])];
}
