// Every tool that a plan may name, by what it may change. What is off says why.
import { useEffect } from "react";
import { Skeleton } from "../../components/controls/panel";
import { EffectIcon, isRisky } from "../../components/marks/marks";
import type { Effect, ToolView } from "../../ipc/bindings";
import { readTools, useTools } from "../../state/tools";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Group } from "./rows";

const ORDER: readonly Effect[] = ["spend", "write_external", "exec", "write", "read_external", "read", "pure"];

export function Tools() {
  const tools = useTools((s) => s.tools);
  useEffect(() => void readTools(), []);
  if (!tools) return <Skeleton rows={8} />;
  const sorted = [...tools].sort(
    (a, b) => ORDER.indexOf(a.effect) - ORDER.indexOf(b.effect) || a.name.localeCompare(b.name),
  );
  return (
    <Group title={t.settings.sections.tools} note={t.settings.toolsNote(tools.length)} testId="tools">
      <table className="settings-table">
        <thead>
          <tr>
            <th scope="col">{t.settings.toolColumns.name}</th>
            <th scope="col">{t.settings.toolColumns.what}</th>
            <th scope="col">{t.settings.toolColumns.effect}</th>
            <th scope="col">{t.settings.toolColumns.repeat}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
        </tbody>
      </table>
    </Group>
  );
}

function Tool({ tool }: { tool: ToolView }) {
  return (
    <tr data-testid={`tool-${tool.name}`}>
      <th scope="row">
        <code className="mono sel">{visible(tool.name)}</code>
      </th>
      <td className="t2 sel">
        {visible(tool.description)}
        {tool.off ? <p className="sm tone-retrying">{`${t.settings.toolOff}: ${tool.off}`}</p> : null}
      </td>
      <td>
        <span className={`tag ${isRisky(tool.effect) ? "retrying" : ""}`}>
          <EffectIcon effect={tool.effect} size={12} />
          {t.words.effect[tool.effect]}
        </span>
      </td>
      <td className="sm t2">{t.settings.repeat[tool.idempotency]}</td>
    </tr>
  );
}
