// The question before plans and runs are deleted: what goes, what stays, and that nothing brings them back.
import { Trash2 } from "lucide-react";
import { useRef } from "react";
import { Confirm, type Fact } from "../components/controls/Confirm";
import { Button } from "../components/controls/controls";
import type { WhatGoes } from "../ipc/bindings";
import { deleteThem, keepThem, type Leaving, useKeeping } from "../state/keeping";
import { t } from "../text";
import { bytes, visible } from "../text/format";

export function DeleteDialog() {
  const leaving = useKeeping((s) => s.leaving);
  const isBusy = useKeeping((s) => s.isBusy);
  // While it fades away it still says what it said.
  const last = useRef<Leaving | null>(null);
  if (leaving) last.current = leaving;
  const shown = leaving ?? last.current;
  if (!shown) return null;
  const { goes, name } = shown;
  const count = goes.runs + goes.drafts;
  return (
    <Confirm
      open={leaving !== null}
      onClose={keepThem}
      title={name === null ? t.keeping.deleteMany(goes.runs, goes.drafts) : t.keeping.deleteTitle(visible(name))}
      facts={factsOf(goes)}
      keep={count > 1 ? t.keeping.keepAll : t.keeping.keep}
      testId="delete-dialog"
    >
      {count > 0 ? (
        <Button
          look="danger"
          disabled={isBusy}
          icon={<Trash2 className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => void deleteThem()}
          data-testid="delete-now"
        >
          {isBusy ? t.keeping.deleting : t.keeping.doIt}
        </Button>
      ) : null}
    </Confirm>
  );
}

function factsOf(goes: WhatGoes): Fact[] {
  const refused = goes.refused.map((run) => ({
    term: t.keeping.refused,
    text: `${run.title ? `${visible(run.title)}: ` : ""}${t.keeping.refusedText(run.why)}`,
  }));
  if (goes.runs + goes.drafts === 0) return refused.slice(0, 1);
  const files = goes.files > 0 ? t.keeping.files(goes.files, bytes(goes.bytes)) : null;
  return [
    { term: t.keeping.gone, text: t.keeping.goneText(goes.events, files, goes.openDecisions) },
    { term: t.keeping.kept, text: t.keeping.keptText(goes.forks) },
    { term: t.keeping.undo, text: t.keeping.undoText },
    ...refused.slice(0, 1),
  ];
}
