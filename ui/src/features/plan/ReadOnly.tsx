// The line over the plan of a run that was approved: locked, with a way to a copy that can be changed.
import { Lock } from "lucide-react";
import { Button } from "../../components/controls/controls";
import { editCopy } from "../../state/open";
import { t } from "../../text";

export function ReadOnly({ run }: { run: string }) {
  return (
    <div className="band" role="note">
      <Lock className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span className="grow">{t.plan.readOnly}</span>
      <Button size="small" onClick={() => void editCopy(run)} data-testid="edit-copy">
        {t.plan.editCopy}
      </Button>
    </div>
  );
}
