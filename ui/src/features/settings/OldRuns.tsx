// Old runs: looked for by age, told with what would go, deleted after a question.
import { useEffect, useState } from "react";
import { Button, FaultLine, Toggle } from "../../components/controls/controls";
import { Select } from "../../components/controls/Select";
import type { OldRunsView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { askDeleteAll, useKeeping } from "../../state/keeping";
import { readStorage } from "../../state/storage";
import { t } from "../../text";
import { bytes } from "../../text/format";
import { Group, Row } from "./rows";

const AGES = [7, 30, 90, 365] as const;

export function OldRuns() {
  const [days, setDays] = useState(90);
  const [withDrafts, setDrafts] = useState(false);
  const { found, fault } = useOld(days, withDrafts);
  const goes = found?.goes;
  const count = (goes?.runs ?? 0) + (goes?.drafts ?? 0);
  const files = goes && goes.files > 0 ? t.keeping.files(goes.files, bytes(goes.bytes)) : null;
  return (
    <Group title={t.storage.old} note={t.storage.oldNote} narrow testId="old-runs">
      <Row>
        <div className="old-age">
          <Select
            label={t.storage.age}
            value={String(days)}
            options={AGES.map((age) => ({ value: String(age), label: t.storage.ages[age] ?? String(age) }))}
            onChange={(value) => setDays(Number(value))}
            testId="old-age"
          />
        </div>
        <div className="row">
          <Toggle label={t.storage.withDrafts} checked={withDrafts} onChange={setDrafts} testId="old-drafts" />
          <span>{t.storage.withDrafts}</span>
        </div>
        <span className="grow sm t2" role="status" data-testid="old-count">
          {goes ? (
            count === 0 ? (
              t.storage.oldNone
            ) : (
              <>
                {t.storage.sums(goes.runs, goes.drafts)}
                {". "}
                {t.keeping.goneText(goes.events, files, goes.openDecisions)}
              </>
            )
          ) : (
            t.words.loading
          )}
        </span>
        <Button
          look="danger"
          disabled={!found || count === 0}
          onClick={() => found && askDeleteAll(found.runs, found.goes)}
          data-testid="old-delete"
        >
          {count > 0 ? t.storage.delete(count) : t.keeping.delete}
        </Button>
      </Row>
      {fault ? (
        <div className="settings-row">
          <FaultLine text={fault} />
        </div>
      ) : null}
    </Group>
  );
}

/** Looked for again when the question about them is over: then some may be gone. */
function useOld(days: number, withDrafts: boolean): { found: OldRunsView | null; fault: string | null } {
  const isAsking = useKeeping((s) => s.leaving !== null);
  const [found, setFound] = useState<OldRunsView | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (isAsking) return;
    let isLeft = false;
    host()
      .oldRuns(days, withDrafts)
      .then((next) => {
        if (isLeft) return;
        setFound(next);
        setFault(null);
      })
      .catch((thrown: unknown) => !isLeft && setFault(asFault(thrown).message));
    void readStorage();
    return () => {
      isLeft = true;
    };
  }, [days, withDrafts, isAsking]);
  return { found, fault };
}
