// Two versions in place of the editor's canvas: one picture with marks, and everything that differs in a panel beside it.
import { History, List, X } from "lucide-react";
import { type RefObject, useEffect, useMemo, useState } from "react";
import { ToolGroup, ZoomTools } from "../../../components/canvas/CanvasTools";
import { DIFF_ICON } from "../../../components/canvas/CardMarks";
import { PlanCanvas } from "../../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../../components/canvas/viewport";
import { Button, IconButton, Segments } from "../../../components/controls/controls";
import { printKeys, useKeys } from "../../../components/controls/keys";
import { diffCards, diffEdges, type Side } from "../../../state/diffCards";
import { notify } from "../../../state/notices";
import { select, useSelection } from "../../../state/selection";
import { type Compared, closeComparison, goBackTo } from "../../../state/versions";
import { t } from "../../../text";
import { changesOf, countsOf, stepChange } from "./changes";

type Props = {
  compared: Compared;
  mayGoBack: boolean;
  canvas: RefObject<CanvasHandle | null>;
  /** To the same as a list. */
  onList: () => void;
  onShowList: (() => void) | null;
};

const SIDES = ["before", "changes", "after"] as const;

export function Comparison({ compared, mayGoBack, canvas, onList, onShowList }: Props) {
  const [side, setSide] = useState<Side>("changes");
  const { before, after, diff } = compared;
  const tasks = useMemo(() => diffCards(before, after, diff, side), [before, after, diff, side]);
  const edges = useMemo(() => diffEdges(before, after, diff, side), [before, after, diff, side]);
  const chosen = useSelection((s) => s.tasks);
  const selection = useMemo(() => ({ tasks: chosen, edge: null }), [chosen]);
  const changes = useMemo(() => changesOf(diff), [diff]);
  const shown = useSelection((s) => s.shown);
  useEffect(() => {
    if (shown > 0) requestAnimationFrame(() => canvas.current?.reveal(useSelection.getState().tasks));
  }, [shown, canvas]);
  useKeys({ "[": () => stepChange(changes, -1), "]": () => stepChange(changes, 1) }, "plan");
  return (
    <PlanCanvas
      label={t.versions.title(t.versions.revision(compared.from), t.versions.revision(compared.to))}
      tasks={tasks}
      edges={edges}
      selection={selection}
      onSelect={(next) => select(next.tasks)}
      handle={canvas}
    >
      <ToolGroup place="left" label={t.canvas.tools}>
        {onShowList ? (
          <IconButton
            label={t.versions.tabs.versions}
            icon={<History size={16} strokeWidth={1.75} />}
            onClick={onShowList}
            data-testid="show-versions"
          />
        ) : null}
        <Segments
          label={t.versions.side}
          choices={SIDES.map((value) => ({ value, label: t.versions.sides[value] }))}
          value={side}
          onChange={setSide}
          testId="diff-side"
        />
      </ToolGroup>
      <div className="canvas-side">
        <ToolGroup place="right" label={t.canvas.view}>
          <IconButton
            label={t.plan.list}
            hint={printKeys("l")}
            icon={<List size={16} strokeWidth={1.75} />}
            onClick={onList}
            data-testid="list-toggle"
          />
          <span className="bar" />
          <ZoomTools canvas={canvas} />
          <span className="bar" />
          <IconButton
            label={t.versions.close}
            hint={printKeys("escape")}
            icon={<X size={16} strokeWidth={1.75} />}
            onClick={closeComparison}
            data-testid="close-comparison"
          />
        </ToolGroup>
        {mayGoBack ? <GoBack revision={compared.from} /> : null}
      </div>
      <Legend compared={compared} />
    </PlanCanvas>
  );
}

function GoBack({ revision }: { revision: number }) {
  const onClick = async () => {
    if (await goBackTo(revision)) notify(t.versions.wentBack(revision));
  };
  return (
    <Button
      look="primary"
      size="large"
      icon={<History className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void onClick()}
      data-testid="go-back"
    >
      {t.versions.goBack}
    </Button>
  );
}

function Legend({ compared }: { compared: Compared }) {
  const counts = countsOf(compared.diff);
  return (
    <ul className="diff-legend" aria-label={t.versions.legend} data-testid="diff-legend">
      {(["added", "removed", "changed"] as const).map((change) => {
        if (counts[change] === 0) return null;
        const Icon = DIFF_ICON[change];
        return (
          <li key={change}>
            <span className={`diff-mark ${change}`}>
              <Icon size={12} strokeWidth={2.25} aria-hidden="true" />
            </span>
            {t.versions.counts[change](counts[change])}
          </li>
        );
      })}
      <li className="t3">{t.versions.counts.kept(counts.kept)}</li>
    </ul>
  );
}
