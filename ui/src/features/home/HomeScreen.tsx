// Home: what is wanted, samples, what was done lately; beside it what waits, and which models are at hand.
import { useEffect } from "react";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { useNow } from "../../components/marks/time";
import type { SampleCard } from "../../ipc/bindings";
import { readHome, useLists } from "../../state/lists";
import { readModels, useModels } from "../../state/models";
import { openPlan, openToApprove } from "../../state/open";
import { t } from "../../text";
import { Composer } from "./Composer";
import { NoModel } from "./NoModel";
import { Recent } from "./Recent";
import { Sample } from "./Sample";
import { Side } from "./Side";

const REREAD_MS = 3000;

export function HomeScreen() {
  const home = useLists((s) => s.home);
  const fault = useLists((s) => s.homeFault);
  const models = useModels((s) => s.view);
  const tick = useNow(REREAD_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tick reads anew
  useEffect(() => void readHome(), [tick]);
  useEffect(() => void readModels(), []);

  if (!home && fault)
    return <FaultPanel title={t.home.faultTitle} message={fault.message} onRetry={() => void readHome()} />;
  const samples = home?.samples ?? [];
  return (
    <div className="screen home" data-testid="home">
      <div className="home-columns">
        <div className="home-main">
          <div>
            <h2 className="home-title">{t.composer.title}</h2>
            <Composer view={models} />
            {models && models.models.length === 0 ? <NoModel view={models} samples={samples} /> : null}
          </div>
          {home ? <Samples samples={samples} /> : <Skeleton rows={4} />}
          {home ? <Recent runs={home.runs} /> : <Skeleton rows={6} />}
        </div>
        <Side openDecisions={home?.openDecisions ?? 0} />
      </div>
    </div>
  );
}

function Samples({ samples }: { samples: readonly SampleCard[] }) {
  return (
    <section aria-labelledby="samples">
      <div className="section-head">
        <h3 id="samples">{t.home.samples}</h3>
        {samples.length > 0 ? <span className="sm t3">{t.home.samplesNote}</span> : null}
      </div>
      {samples.length === 0 ? <p className="t3">{t.home.noSamples}</p> : null}
      <div className="samples">
        {samples.map((sample) => (
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
