// A plan without tasks: where to drop the first one, and the keys for it.
import { Plus } from "lucide-react";
import { go } from "../../state/route";
import { t } from "../../text";

export function EmptyCanvas() {
  return (
    <div className="empty-canvas" data-testid="empty-canvas">
      <span className="empty-card">
        <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      </span>
      <h2>{t.plan.emptyTitle}</h2>
      <p className="t2">
        {t.plan.emptyOr} <kbd>T</kbd> {t.words.kind.tool?.toLowerCase()}, <kbd>C</kbd>{" "}
        {t.words.kind.code?.toLowerCase()}, <kbd>Q</kbd> {t.words.kind.human?.toLowerCase()}
      </p>
      <button type="button" className="link" onClick={() => go({ screen: "home" })}>
        {t.plan.emptySample}
      </button>
    </div>
  );
}
