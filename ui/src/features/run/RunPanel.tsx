// The right side of a run: the chosen task; without one, what needs a person; else the result, or where to look.
import { MousePointerClick } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { Button } from "../../components/controls/controls";
import { Empty, Skeleton } from "../../components/controls/panel";
import { DecisionCard } from "../../components/decision/DecisionCard";
import { ValueView } from "../../components/values/ValueView";
import type { DraftView } from "../../ipc/bindings";
import { tryParse } from "../../ipc/json";
import { namesOf } from "../../state/cards";
import { answer, misfitsOf } from "../../state/decide";
import { cardOf } from "../../state/frames";
import { go } from "../../state/route";
import { useRun } from "../../state/run";
import { useSelection } from "../../state/selection";
import { readTools, useTools } from "../../state/tools";
import { t } from "../../text";
import { visible } from "../../text/format";
import { TaskPanel } from "./TaskPanel";

const Markdown = lazy(() => import("../../components/values/Markdown"));

export function RunPanel({ run, plan }: { run: string; plan: DraftView }) {
  const chosen = useSelection((s) => s.tasks[0]);
  const decisions = useRun((s) => s.decisions);
  const output = useRun((s) => s.output);
  const tools = useTools((s) => s.tools);
  useEffect(() => void readTools(), []);
  const names = namesOf(plan);
  if (chosen && names.has(cardOf(chosen))) return <TaskPanel key={chosen} run={run} task={chosen} plan={plan} />;
  if (decisions.length > 0) {
    return (
      <div className="panel-body run-decisions">
        {decisions.map((decision, ix) => (
          <DecisionCard
            key={decision.id}
            decision={decision}
            where={decision.task ? (names.get(decision.task) ?? decision.task) : null}
            isFocused={ix === 0}
            onAnswer={(given) => answer(decision, given)}
            onCheck={(given) => misfitsOf(decision, given)}
            schema={tools?.find((tool) => tool.name === decision.provenance?.tool)?.arguments ?? null}
          >
            {decision.kind === "replan" ? (
              <div className="row">
                <Button onClick={() => go({ screen: "replan", run })} data-testid="open-replan">
                  {t.replan.entry}
                </Button>
              </div>
            ) : null}
          </DecisionCard>
        ))}
      </div>
    );
  }
  if (output !== null) return <Result output={output} />;
  return (
    <Empty icon={<MousePointerClick size={26} strokeWidth={1.5} />} title={t.run.pick}>
      {t.run.pickNote}
    </Empty>
  );
}

function Result({ output }: { output: string }) {
  const folder = useRun((s) => s.folder);
  const value = tryParse(output);
  return (
    <div className="panel-body run-result" data-testid="result">
      <h2>{t.run.result}</h2>
      {folder ? <p className="xs t3 sel">{t.run.resultFolder(visible(folder))}</p> : null}
      {value === undefined || value === null ? <p className="t2">{t.run.resultNone}</p> : null}
      {typeof value === "string" ? (
        <Suspense fallback={<Skeleton rows={6} />}>
          <Markdown text={value} />
        </Suspense>
      ) : value === undefined || value === null ? null : (
        <ValueView json={output} label={t.run.result} />
      )}
    </div>
  );
}
