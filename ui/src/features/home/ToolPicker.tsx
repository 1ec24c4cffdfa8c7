// Which tools the plan may use, grouped by what they may change. Null is the usual: all but those that run programs.
import { Wrench } from "lucide-react";
import { Picker } from "../../components/controls/Picker";
import { EffectIcon, isRisky } from "../../components/marks/marks";
import type { Effect, ToolView } from "../../ipc/bindings";
import { t } from "../../text";

const ORDER: readonly Effect[] = ["pure", "read", "read_external", "write", "write_external", "exec", "spend"];

type Props = { tools: readonly ToolView[]; chosen: string[] | null; onChange: (tools: string[] | null) => void };

/** What the engine takes where a person names no tools. */
function usual(tools: readonly ToolView[]): string[] {
  return tools.filter((tool) => tool.off === null && tool.effect !== "exec").map((tool) => tool.name);
}

export function ToolPicker({ tools, chosen, onChange }: Props) {
  const names = new Set(chosen ?? usual(tools));
  const may = tools.filter((tool) => names.has(tool.name));
  const [count, writing] = t.composer.tools(may.length, may.filter((tool) => isRisky(tool.effect)).length);
  const set = (next: ReadonlySet<string>) => {
    const list = tools.filter((tool) => next.has(tool.name)).map((tool) => tool.name);
    const isUsual = list.join() === usual(tools).join();
    onChange(isUsual ? null : list);
  };
  const toggle = (name: string) => {
    const next = new Set(names);
    if (!next.delete(name)) next.add(name);
    set(next);
  };
  const groups = ORDER.map((effect) => ({ effect, tools: tools.filter((tool) => tool.effect === effect) }));
  return (
    <Picker
      title={t.composer.toolsTitle}
      note={t.composer.toolsNote}
      wide
      testId="goal-tools"
      icon={<Wrench className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />}
      chip={
        <>
          {count} <span className="t3">{writing}</span>
        </>
      }
    >
      <div className="picker-usual">
        <button type="button" className="tag line" aria-pressed={chosen === null} onClick={() => onChange(null)}>
          {t.composer.toolsUsual}
        </button>
        <button type="button" className="tag line" aria-pressed={may.length === 0} onClick={() => onChange([])}>
          {t.composer.toolsNone}
        </button>
      </div>
      <div className="picker-groups">
        {groups
          .filter((group) => group.tools.length > 0)
          .map((group) => (
            <fieldset key={group.effect}>
              <legend className="heading row">
                <EffectIcon effect={group.effect} size={13} />
                {t.words.effect[group.effect]}
              </legend>
              {group.tools.map((tool) => (
                <Tool key={tool.name} tool={tool} isChosen={names.has(tool.name)} onToggle={() => toggle(tool.name)} />
              ))}
            </fieldset>
          ))}
      </div>
    </Picker>
  );
}

function Tool({ tool, isChosen, onToggle }: { tool: ToolView; isChosen: boolean; onToggle: () => void }) {
  return (
    <label className="check tool-check">
      <input type="checkbox" checked={isChosen} disabled={tool.off !== null && !isChosen} onChange={onToggle} />
      <code className="mono">{tool.name}</code>
      <span className="sm t3 el" title={tool.off ?? tool.description}>
        {tool.off ? `${t.composer.toolOff}: ${tool.off}` : tool.description}
      </span>
    </label>
  );
}
