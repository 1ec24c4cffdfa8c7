// How often another way was looked for in this run, with what became of the last; a click leads to the difference.
import { GitCompare } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/controls/controls";
import type { ReplansView } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { go } from "../../state/route";
import { useRun } from "../../state/run";
import { t } from "../../text";

export function ReplanFact({ run }: { run: string }) {
  const [list, setList] = useState<ReplansView | null>(null);
  const moment = useRun((s) => `${s.digest} ${s.row?.status} ${s.decisions.map((d) => d.id).join()}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `moment` says when there may be another one
  useEffect(() => {
    let isGone = false;
    host()
      .replans(run)
      // Where they can't be read the screen of their own says why.
      .then(
        (next) => !isGone && setList(next),
        () => undefined,
      );
    return () => {
      isGone = true;
    };
  }, [run, moment]);
  const last = list?.attempts[list.attempts.length - 1];
  if (!list || !last) return null;
  return (
    <Button
      icon={<GitCompare className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
      title={t.replan.fates[last.fate]}
      onClick={() => go({ screen: "replan", run })}
      data-testid="replan-fact"
    >
      {t.replan.of(last.attempt, list.most)}
    </Button>
  );
}
