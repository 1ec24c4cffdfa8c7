// What the plan asks for that it did not ask for when it was approved last.
import type { ApprovalView } from "../../ipc/bindings";
import { select } from "../../state/selection";
import { t } from "../../text";
import { list, visible } from "../../text/format";

const MOST = 6;

export function SinceLast({ approval, name }: { approval: ApprovalView; name: (id: string) => string }) {
  const since = approval.sinceLast;
  if (!since) return null;
  if (since.needs.length + since.tasks.length === 0)
    return (
      <p className="sm t2" data-testid="since-last">
        {t.approval.nothingNew(since.revision)}
      </p>
    );
  const needs = since.needs.slice(0, MOST).map((need) => visible(need.resource));
  const moreNeeds = since.needs.length - needs.length;
  return (
    <section className="warn-card" aria-label={t.approval.newSince(since.revision)} data-testid="since-last">
      <b>{t.approval.newSince(since.revision)}</b>
      {needs.length > 0 ? (
        <p className="t2">{t.approval.newNeeds(list(moreNeeds > 0 ? [...needs, t.canvas.more(moreNeeds)] : needs))}</p>
      ) : null}
      {since.tasks.length > 0 ? (
        <p className="grant-tasks start">
          {since.tasks.slice(0, MOST).map((id) => (
            <button key={id} type="button" className="tag line" onClick={() => select([id])}>
              <span className="el">{name(id)}</span>
            </button>
          ))}
          {since.tasks.length > MOST ? <span className="tag">{t.approval.more(since.tasks.length - MOST)}</span> : null}
        </p>
      ) : null}
    </section>
  );
}
