// The samples: all of them where a person has nothing yet, else one row that opens into all.
import { ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/controls";
import type { SampleCard } from "../../ipc/bindings";
import { openPlan, openToApprove } from "../../state/open";
import { t } from "../../text";
import { Sample } from "./Sample";

/** As many as the widest window shows side by side; narrower ones hide the last of them. */
const ROW = 4;

type Props = { samples: readonly SampleCard[]; isFirst: boolean };

export function Samples({ samples, isFirst }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isFolded = !isFirst && !isOpen && samples.length > ROW;
  const shown = isFolded ? samples.slice(0, ROW) : samples;
  return (
    <section aria-labelledby="samples" data-testid="samples-of-home">
      <div className="section-head tight">
        <h3 id="samples">{t.home.samples}</h3>
        {samples.length > 0 ? <span className="sm t3 grow el">{t.home.samplesNote}</span> : null}
        {!isFirst && samples.length > ROW ? (
          <Button
            size="small"
            look="ghost"
            aria-expanded={isOpen}
            aria-controls="sample-cards"
            icon={isOpen ? <ChevronUp size={14} aria-hidden="true" /> : <ChevronDown size={14} aria-hidden="true" />}
            onClick={() => setOpen(!isOpen)}
            data-testid="all-samples"
          >
            {isOpen ? t.home.fewSamples : t.home.allSamples(samples.length)}
          </Button>
        ) : null}
      </div>
      {samples.length === 0 ? <p className="t3">{t.home.noSamples}</p> : null}
      <div className={`samples${isFolded ? " one-row" : ""}`} id="sample-cards">
        {shown.map((sample) => (
          <Sample
            key={sample.path}
            sample={sample}
            onOpen={() => void openPlan(sample.path)}
            onRun={() => void openToApprove(sample.path)}
          />
        ))}
      </div>
    </section>
  );
}
