// Home: what is wanted, what waits and what was done lately, samples; beside it which models are at hand.
import { useEffect } from "react";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { useNow } from "../../components/marks/time";
import type { HomeView } from "../../ipc/bindings";
import { readHome, useLists } from "../../state/lists";
import { readModels, useModels } from "../../state/models";
import { t } from "../../text";
import { Composer } from "./Composer";
import { Decisions } from "./Decisions";
import { NoModel } from "./NoModel";
import { Recent } from "./Recent";
import { Samples } from "./Samples";
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
        {home && home.openDecisions > 0 ? <Decisions count={home.openDecisions} /> : null}
        <div className="home-main">
          <div>
            <h2 className="home-title">{t.composer.title}</h2>
            <Composer view={models} />
            {models && models.models.length === 0 ? <NoModel view={models} samples={samples} /> : null}
          </div>
          {home ? <Below home={home} /> : <Skeleton rows={8} />}
        </div>
        <Side />
      </div>
    </div>
  );
}

/** What a person has begun comes first; who has nothing yet begins with a sample. */
function Below({ home }: { home: HomeView }) {
  const isFirst = home.runs.length === 0;
  const samples = <Samples samples={home.samples} isFirst={isFirst} />;
  return (
    <>
      {isFirst ? samples : null}
      <Recent runs={home.runs} />
      {isFirst ? null : samples}
    </>
  );
}
