// What was opened and run lately, plans and runs together or apart.

import { History } from "lucide-react";
import { useState } from "react";
import { Segments } from "../../components/controls/controls";
import { Empty } from "../../components/controls/panel";
import type { RunRow } from "../../ipc/bindings";
import { newPlan, openPlanFile } from "../../state/open";
import { go } from "../../state/route";
import { t } from "../../text";
import { ordered } from "./ordered";
import { RunTable } from "./RunTable";

type Filter = "recent" | "plans" | "runs";
const MOST = 8;

export function Recent({ runs }: { runs: readonly RunRow[] }) {
  const [filter, setFilter] = useState<Filter>("recent");
  const shown = ordered(runs).filter(
    (r) => filter === "recent" || (filter === "plans") === (r.status === "AWAITING_APPROVAL"),
  );
  return (
    <section aria-label={t.home.recent}>
      <div className="section-head tight">
        <Segments
          label={t.lists.filter}
          value={filter}
          onChange={setFilter}
          choices={[
            { value: "recent", label: t.home.recent },
            { value: "plans", label: t.home.plans },
            { value: "runs", label: t.home.runs },
          ]}
        />
        <span className="grow" />
        <button type="button" className="link" onClick={() => go({ screen: filter === "plans" ? "plans" : "runs" })}>
          {filter === "plans" ? t.home.allPlans : t.home.allRuns}
        </button>
        <button type="button" className="link" onClick={() => void newPlan()} data-testid="new-plan">
          {t.home.newPlan}
        </button>
        <button type="button" className="link" onClick={() => void openPlanFile()} data-testid="open-file">
          {t.home.openFile}
        </button>
      </div>
      {shown.length > 0 ? (
        <RunTable runs={shown.slice(0, MOST)} label={t.home.recent} />
      ) : (
        <Empty
          icon={<History size={24} strokeWidth={1.5} />}
          title={filter === "plans" ? t.home.emptyPlans : t.home.emptyRuns}
        >
          {filter === "plans" ? t.home.emptyPlansNote : t.home.emptyRunsNote}
        </Empty>
      )}
    </section>
  );
}
