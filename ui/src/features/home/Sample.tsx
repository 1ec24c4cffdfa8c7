// One sample: its picture, its name, what it does.
import { PlanThumb } from "../../components/PlanThumb";
import type { SampleCard } from "../../ipc/bindings";
import { t } from "../../text";

export function Sample({ sample, onOpen }: { sample: SampleCard; onOpen: () => void }) {
  return (
    <button type="button" className="sample" onClick={onOpen} data-testid={`sample-${sample.title}`}>
      <span className="sample-picture">
        <PlanThumb outline={sample.outline} />
      </span>
      <span className="sample-text">
        <b>{sample.title}</b>
        <span className="sm t3">{`${t.home.tasks(sample.outline.tasks.length)} · ${sample.description}`}</span>
      </span>
    </button>
  );
}
