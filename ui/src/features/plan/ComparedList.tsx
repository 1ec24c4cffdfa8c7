// Two versions as one list: what came, what went and what changed in words, with the same keys and acts as on the canvas.
import { History, List, Workflow, X } from "lucide-react";
import { useMemo } from "react";
import { Button, IconButton } from "../../components/controls/controls";
import { printKeys, useKeys } from "../../components/controls/keys";
import { notify } from "../../state/notices";
import { type Compared, closeComparison, goBackTo } from "../../state/versions";
import { t } from "../../text";
import { ListView } from "./ListView";
import { withCompared } from "./listChanges";
import { changesOf, countsOf, stepChange } from "./versions/changes";

type Props = { compared: Compared; mayGoBack: boolean; onCanvas: () => void; onOpen: () => void };

export function ComparedList({ compared, mayGoBack, onCanvas, onOpen }: Props) {
  const changed = useMemo(() => withCompared(compared), [compared]);
  const changes = useMemo(() => changesOf(compared.diff), [compared]);
  useKeys({ "[": () => stepChange(changes, -1), "]": () => stepChange(changes, 1) }, "plan");
  return (
    <>
      <div className="list-tools">
        <div className="seg" role="group" aria-label={t.canvas.view}>
          <button type="button" aria-pressed={false} onClick={onCanvas} data-testid="canvas-toggle">
            <Workflow size={14} strokeWidth={1.75} aria-hidden="true" />
            {t.plan.canvas}
          </button>
          <button type="button" aria-pressed={true} data-testid="list-toggle">
            <List size={14} strokeWidth={1.75} aria-hidden="true" />
            {t.plan.list}
          </button>
        </div>
        <span className="sm t2 grow el" data-testid="list-counts">
          {countsText(compared)}
        </span>
        {mayGoBack ? <GoBack revision={compared.from} /> : null}
        <IconButton
          label={t.versions.close}
          hint={printKeys("escape")}
          icon={<X size={16} strokeWidth={1.75} />}
          onClick={closeComparison}
          data-testid="close-comparison"
        />
      </div>
      <ListView changed={changed} estimates={NO_ESTIMATES} onOpen={onOpen} />
    </>
  );
}

const NO_ESTIMATES = new Map();

function countsText({ diff }: Compared): string {
  const counts = countsOf(diff);
  return (["added", "removed", "changed", "kept"] as const)
    .map((change) => t.versions.counts[change](counts[change]))
    .join(" · ");
}

function GoBack({ revision }: { revision: number }) {
  const onClick = async () => {
    if (await goBackTo(revision)) notify(t.versions.wentBack(revision));
  };
  return (
    <Button
      look="primary"
      icon={<History className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void onClick()}
      data-testid="go-back"
    >
      {t.versions.goBack}
    </Button>
  );
}
