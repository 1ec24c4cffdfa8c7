// Home: open decisions, samples, what was done lately, and the ways to begin.
import { FilePlus2, FolderOpen, Hand } from "lucide-react";
import { useEffect } from "react";
import { Button } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { useNow } from "../../components/marks/time";
import type { SampleCard } from "../../ipc/bindings";
import { readHome, useLists } from "../../state/lists";
import { newPlan, openPlan, openPlanFile } from "../../state/open";
import { go } from "../../state/route";
import { t } from "../../text";
import { Recent } from "./Recent";
import { Sample } from "./Sample";

const REREAD_MS = 3000;

export function HomeScreen() {
  const home = useLists((s) => s.home);
  const fault = useLists((s) => s.homeFault);
  const tick = useNow(REREAD_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tick reads anew
  useEffect(() => void readHome(), [tick]);

  if (!home && fault)
    return <FaultPanel title={t.home.faultTitle} message={fault.message} onRetry={() => void readHome()} />;
  return (
    <div className="screen home" data-testid="home">
      <div className="home-columns">
        <div className="home-main">
          <header className="home-head">
            <div className="grow">
              <h2 className="home-title">{t.home.title}</h2>
              <p className="t2">{t.home.note}</p>
            </div>
            <Button
              size="large"
              icon={<FolderOpen className="icon" size={16} strokeWidth={1.75} />}
              onClick={() => void openPlanFile()}
              data-testid="open-file"
            >
              {t.home.openFile}
            </Button>
            <Button
              look="primary"
              size="large"
              hint={printKeys("n")}
              icon={<FilePlus2 className="icon" size={16} strokeWidth={1.75} />}
              onClick={() => void newPlan()}
              data-testid="new-plan"
            >
              {t.home.newPlan}
            </Button>
          </header>
          {home ? <Samples samples={home.samples} /> : <Skeleton rows={4} />}
          {home ? <Recent runs={home.runs} /> : <Skeleton rows={6} />}
        </div>
        <aside className="home-side">
          {home && home.openDecisions > 0 ? <Decisions count={home.openDecisions} /> : null}
          <Keys />
        </aside>
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
            onReview={() => void openPlan(sample.path, "approve")}
          />
        ))}
      </div>
    </section>
  );
}

function Decisions({ count }: { count: number }) {
  return (
    <button
      type="button"
      className="decisions-card"
      onClick={() => go({ screen: "waiting" })}
      data-testid="decisions-card"
    >
      <Hand className="icon" size={18} strokeWidth={1.75} aria-hidden="true" />
      <span className="grow">
        <b>{t.home.waits(count)}</b>
        <span>{t.home.waitsNote}</span>
      </span>
      <kbd>G W</kbd>
    </button>
  );
}

function Keys() {
  const rows = [
    ["n", t.home.keys.newPlan],
    ["ctrl+k", t.home.keys.find],
    ["g r", t.home.keys.runs],
    ["?", t.home.keys.all],
  ] as const;
  return (
    <section className="home-keys" aria-label={t.home.keysTitle}>
      <h3 className="heading">{t.home.keysTitle}</h3>
      <dl>
        {rows.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{printKeys(keys)}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
