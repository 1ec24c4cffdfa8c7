// How much goes on at once: tasks of a run, calls to a provider, calls to single tools. Each change holds from then on.
import { RotateCcw, X } from "lucide-react";
import { useEffect } from "react";
import { FaultLine, IconButton } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Select } from "../../components/controls/Select";
import type { LimitsForm, LimitsView } from "../../ipc/bindings";
import { keepLimits, readStorage, useStorage } from "../../state/storage";
import { readTools, useTools } from "../../state/tools";
import { t } from "../../text";
import { visible } from "../../text/format";
import { GoalCaps } from "./GoalCaps";
import { NumberField } from "./NumberField";
import { Group, Row } from "./rows";

/** What a tool begins with that is given a limit. */
const FIRST = 2;

export function Limits() {
  const limits = useStorage((s) => s.limits);
  const fault = useStorage((s) => s.fault);
  useEffect(() => void readStorage(), []);
  if (fault && !limits)
    return <FaultPanel title={t.storage.fault} message={fault} onRetry={() => void readStorage()} />;
  if (!limits) return <Skeleton rows={4} />;
  return (
    <>
      <GoalCaps />
      <Group title={t.storage.limits} note={t.storage.limitsNote} narrow testId="limits">
        {limits.troubles.map((trouble) => (
          <div className="settings-row" key={trouble}>
            <FaultLine severity="warning" text={visible(trouble)} />
          </div>
        ))}
        <Usual
          title={t.storage.perRun}
          note={t.storage.perRunNote(limits.usualPerRun)}
          value={limits.perRun}
          usual={limits.usualPerRun}
          onKeep={(perRun) => keepLimits({ ...formOf(limits), perRun })}
          testId="per-run"
        />
        <Usual
          title={t.storage.perProvider}
          note={t.storage.perProviderNote(limits.usualPerProvider)}
          value={limits.perProvider}
          usual={limits.usualPerProvider}
          onKeep={(perProvider) => keepLimits({ ...formOf(limits), perProvider })}
          testId="per-provider"
        />
      </Group>
      <ByTool limits={limits} />
    </>
  );
}

/** What is as usual is not in the file, so that it follows when the usual changes. */
function formOf(limits: LimitsView): LimitsForm {
  return {
    perRun: limits.perRun === limits.usualPerRun ? null : limits.perRun,
    perProvider: limits.perProvider === limits.usualPerProvider ? null : limits.perProvider,
    tools: limits.tools,
  };
}

type UsualProps = {
  title: string;
  note: string;
  value: number;
  usual: number;
  onKeep: (value: number | null) => Promise<string | null>;
  testId: string;
};

function Usual({ title, note, value, usual, onKeep, testId }: UsualProps) {
  return (
    <Row title={title} note={note}>
      <NumberField
        label={title}
        value={value}
        onKeep={(next) => onKeep(next === usual ? null : next)}
        testId={`limit-${testId}`}
      />
      <IconButton
        label={t.storage.useUsual(title)}
        disabled={value === usual}
        icon={<RotateCcw size={14} strokeWidth={1.75} />}
        onClick={() => void onKeep(null)}
        data-testid={`usual-${testId}`}
      />
    </Row>
  );
}

function ByTool({ limits }: { limits: LimitsView }) {
  const tools = useTools((s) => s.tools);
  useEffect(() => void readTools(), []);
  const named = new Set(limits.tools.map((limit) => limit.tool));
  const others = (tools ?? []).filter((tool) => !named.has(tool.name));
  const put = (list: LimitsForm["tools"]) => keepLimits({ ...formOf(limits), tools: list });
  return (
    <Group
      title={t.storage.perTool}
      note={t.storage.perToolNote}
      narrow
      testId="tool-limits"
      acts={
        <div className="limit-tool">
          <Select
            label={t.storage.chooseTool}
            placeholder={t.storage.chooseTool}
            value={null}
            options={others.map((tool) => ({ value: tool.name, label: tool.name }))}
            onChange={(tool) => void put([...limits.tools, { tool, atOnce: FIRST }])}
            mono
            testId="limit-tool"
          />
        </div>
      }
    >
      {limits.tools.map(({ tool, atOnce }) => (
        <div className="settings-row" key={tool} data-testid={`tool-limit-${tool}`}>
          <code className="mono sel grow el">{visible(tool)}</code>
          <NumberField
            label={t.storage.atOnceOf(visible(tool))}
            value={atOnce}
            onKeep={(next) => put(limits.tools.map((l) => (l.tool === tool ? { tool, atOnce: next } : l)))}
            testId={`limit-${tool}`}
          />
          <IconButton
            label={t.storage.removeTool(visible(tool))}
            icon={<X size={14} strokeWidth={1.75} />}
            onClick={() => void put(limits.tools.filter((l) => l.tool !== tool))}
            data-testid={`unlimit-${tool}`}
          />
        </div>
      ))}
    </Group>
  );
}
