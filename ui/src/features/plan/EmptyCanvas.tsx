// A plan without tasks: where to drop the first one, and the keys for it.

import { Plus } from "lucide-react";
import { printKeys } from "../../components/controls/keys";
import { go } from "../../state/route";
import { t } from "../../text";
import { inside } from "../../text/format";

export function EmptyCanvas() {
  return (
    <div className="empty-canvas" data-testid="empty-canvas">
      <span className="empty-card">
        <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      </span>
      <h2>{t.plan.emptyTitle}</h2>
      <p className="t2">
        {t.plan.emptyOr} <kbd>{printKeys("a")}</kbd> {inside(t.words.kind.agent ?? "")}, <kbd>{printKeys("t")}</kbd>{" "}
        {inside(t.words.kind.tool ?? "")}, <kbd>{printKeys("c")}</kbd> {inside(t.words.kind.code ?? "")},{" "}
        <kbd>{printKeys("q")}</kbd> {inside(t.words.kind.human ?? "")}
      </p>
      <button type="button" className="link" onClick={() => go({ screen: "home" })}>
        {t.plan.emptySample}
      </button>
    </div>
  );
}
