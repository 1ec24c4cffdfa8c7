// Both plans beside each other, each task at the same place in either, with the states that they came to and marks where
// they differ. What the marks say stands in the labels and in the list of what differs, too.
import { useMemo } from "react";
import { CompactPlan } from "../../components/canvas/CompactPlan";
import type { CompareView } from "../../ipc/bindings";
import { cardOf } from "../../state/frames";
import { t } from "../../text";
import { list, visible } from "../../text/format";
import { cardsOf, edgesOf, unionOf } from "./cards";
import { choose, type Drawn, useCompare } from "./store";

type Props = { view: CompareView; drawn: { a: Drawn; b: Drawn } };

export function Plans({ view, drawn }: Props) {
  const cards = useMemo(() => ({ a: cardsOf(view, drawn.a, "a"), b: cardsOf(view, drawn.b, "b") }), [view, drawn]);
  const edges = useMemo(() => ({ a: edgesOf(view, drawn.a, "a"), b: edgesOf(view, drawn.b, "b") }), [view, drawn]);
  const beside = useMemo(() => unionOf(cards, edges), [cards, edges]);
  const chosen = useCompare((s) => s.chosen?.task);
  const pill = typeof chosen === "string" ? cardOf(chosen) : undefined;
  return (
    <>
      {view.planTrouble ? (
        <p className="compare-note sm t2" role="note">
          {t.compare.planTrouble(visible(view.planTrouble))}
        </p>
      ) : null}
      <PlanItself view={view} />
      <div className="compare-panes">
        {(["a", "b"] as const).map((side) => (
          <div key={side} className="compare-pane">
            <PaneHead view={view} side={side} />
            <CompactPlan
              label={t.compare.planOf(side.toUpperCase())}
              tasks={cards[side]}
              edges={edges[side]}
              beside={beside}
              chosen={pill}
              onChoose={chooseTask}
              testId={`plan-${side}`}
            />
          </div>
        ))}
      </div>
    </>
  );
}

const chooseTask = (task: string) => void choose({ task });

function PaneHead({ view, side }: { view: CompareView; side: "a" | "b" }) {
  const { row, executors, hasBegun } = view[side];
  const facts = [
    t.compare.revision(row.revision),
    hasBegun ? executors.map(visible).join(", ") : "",
    standingOf(view[side]),
  ];
  return (
    <div className="compare-pane-head">
      <span className={`compare-badge ${side}`} aria-hidden="true">
        {side.toUpperCase()}
      </span>
      <b className="el" dir="auto">
        {visible(row.title)}
      </b>
      <span className="sm t3 el">{facts.filter(Boolean).join(" · ")}</span>
    </div>
  );
}

/** A fork that waits for its approval has what it shares, and nothing of its own. */
function standingOf({ row, hasBegun }: CompareView["a"]): string {
  if (!hasBegun) return t.compare.notBegun;
  return row.status === "AWAITING_APPROVAL" ? t.compare.notApproved : "";
}

/** What no task shows: goal, budget, parameters, grants. */
function PlanItself({ view }: { view: CompareView }) {
  const fields = view.plan?.plan.map((field) => visible(t.versions.field(field.pointer))) ?? [];
  const isSame =
    view.plan !== null && view.plan.edges.length === 0 && view.plan.tasks.every((one) => one.change === "kept");
  if (fields.length === 0) return isSame ? <p className="compare-note sm t2">{t.compare.samePlan}</p> : null;
  return <p className="compare-note sm t2">{t.compare.planItself(list(fields.slice(0, 6)))}</p>;
}
