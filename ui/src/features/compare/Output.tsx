// What the chosen task gave in both runs: the facts that differ, then its output by lines and by values.
import { CircleCheck, Columns2 } from "lucide-react";
import { Button, FaultLine } from "../../components/controls/controls";
import { Empty, Skeleton } from "../../components/controls/panel";
import type { CompareView, OutputDiff } from "../../ipc/bindings";
import { go } from "../../state/route";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Facts } from "./Facts";
import { setIgnoreSpaces, useCompare } from "./store";
import { TextRows } from "./TextRows";
import { Values } from "./Values";
import { sizeOf } from "./words";

export function Output({ view }: { view: CompareView }) {
  const { chosen, output, outputFault, ignoreSpaces } = useCompare();
  if (chosen === null)
    return (
      <div className="compare-output" data-testid="nothing-differs">
        <Empty icon={<CircleCheck size={28} strokeWidth={1.5} />} title={t.compare.empty}>
          {t.compare.emptyNote(view.same + view.sameButTime)}
        </Empty>
      </div>
    );
  const task = view.tasks.find((one) => one.task === chosen.task) ?? null;
  return (
    <div className="compare-output" data-testid="compare-output" data-task={chosen.task ?? ""}>
      <div className="compare-output-head">
        <h2 className="el grow" dir="auto">
          {chosen.task === null ? t.compare.answer : visible(task?.title ?? chosen.task)}
        </h2>
        <label className="compare-spaces sm">
          <input
            type="checkbox"
            checked={ignoreSpaces}
            onChange={(event) => void setIgnoreSpaces(event.target.checked)}
            data-testid="ignore-spaces"
          />
          {t.compare.ignoreSpaces}
        </label>
      </div>
      <section className="compare-output-body" aria-label={t.compare.output} tabIndex={0}>
        {task ? (
          <Facts task={task} fields={view.plan?.tasks.find((one) => one.task === task.task)?.fields ?? []} />
        ) : null}
        {outputFault ? <FaultLine text={visible(outputFault.message)} /> : null}
        {output ? <Detail view={view} output={output} /> : outputFault ? null : <Skeleton rows={4} />}
      </section>
    </div>
  );
}

function Detail({ view, output }: { view: CompareView; output: OutputDiff }) {
  const said = saidOf(output);
  const isOneSided = output.verdict === "only_a" || output.verdict === "only_b";
  return (
    <>
      {(["a", "b"] as const).map((side) => {
        const { trouble } = output[side];
        return trouble === null ? null : (
          <FaultLine key={side} text={t.compare.unreadable(side.toUpperCase(), visible(trouble))} />
        );
      })}
      {said ? <p className="compare-said sm t2">{said}</p> : null}
      {isOneSided || output.isTooLarge ? <Looks view={view} output={output} /> : null}
      {output.texts.map((text, ix) => (
        <TextRows
          key={`${text.at.a}\n${text.at.b}`}
          text={text}
          ix={ix}
          isOnly={output.texts.length + output.values.length === 1}
        />
      ))}
      <Values output={output} />
    </>
  );
}

function saidOf(output: OutputDiff): string {
  if (output.isTooLarge) return t.compare.tooLarge(sizeOf(output.a), sizeOf(output.b));
  const said = {
    none: t.compare.noOutputs,
    same: t.compare.sameOutputs,
    only_a: t.compare.onlyA,
    only_b: t.compare.onlyB,
  };
  return output.verdict === "differs" ? "" : said[output.verdict];
}

/** Where it can be seen whole. */
function Looks({ view, output }: { view: CompareView; output: OutputDiff }) {
  const open = (run: string) => {
    go({ screen: "review", run });
    if (output.task !== null) select([output.task]);
  };
  return (
    <div className="row compare-looks">
      {output.a.bytes === null ? null : (
        <Button icon={<Columns2 className="icon" size={14} />} onClick={() => open(view.a.row.run)}>
          {t.compare.openA}
        </Button>
      )}
      {output.b.bytes === null ? null : (
        <Button icon={<Columns2 className="icon" size={14} />} onClick={() => open(view.b.row.run)}>
          {t.compare.openB}
        </Button>
      )}
    </div>
  );
}
