// One sample: its picture, its name, what it does. A click opens it on the canvas; its small button goes on to the approval.
import { ShieldCheck } from "lucide-react";
import { PlanThumb } from "../../components/PlanThumb";
import type { SampleCard } from "../../ipc/bindings";
import { t } from "../../text";

type Props = { sample: SampleCard; onOpen: () => void; onReview: () => void };

export function Sample({ sample, onOpen, onReview }: Props) {
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
      <button
        type="button"
        className="sample-run"
        aria-label={t.home.reviewSample(sample.title)}
        onClick={onReview}
        data-testid={`review-${sample.title}`}
      >
        <ShieldCheck className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
        {t.home.review}
      </button>
    </div>
  );
}
