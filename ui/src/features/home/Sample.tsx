// One sample: its picture, its name, what it does; a click opens it, another goes straight to where it is signed.
import { Play } from "lucide-react";
import { Button } from "../../components/controls/controls";
import { PlanThumb } from "../../components/PlanThumb";
import type { SampleCard } from "../../ipc/bindings";
import { t } from "../../text";

type Props = { sample: SampleCard; onOpen: () => void; onRun: () => void };

export function Sample({ sample, onOpen, onRun }: Props) {
  return (
    <div className="sample">
      <button type="button" className="sample-open" onClick={onOpen} data-testid={`sample-${sample.title}`}>
        <span className="sample-picture">
          <PlanThumb outline={sample.outline} />
        </span>
        <span className="sample-text">
          <b>{sample.title}</b>
          <span className="sm t3">{`${t.home.tasks(sample.outline.tasks.length)} · ${sample.description}`}</span>
        </span>
      </button>
      <Button
        size="small"
        className="sample-run"
        icon={<Play className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />}
        aria-label={t.home.runItNamed(sample.title)}
        onClick={onRun}
        data-testid={`run-sample-${sample.title}`}
      >
        {t.home.runIt}
      </Button>
    </div>
  );
}
