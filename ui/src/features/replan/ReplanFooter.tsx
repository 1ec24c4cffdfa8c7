// The answer to a new plan: accept what is on show, edit it first, keep the plan, or ask for another one in one's own words.
import { Check, Pencil, RefreshCw } from "lucide-react";
import { Button, FaultLine } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { ReplanView } from "../../ipc/bindings";
import { accept, askAgain, beginEdit, endEdit, mayAccept, reject, useReplan } from "../../state/replan";
import { t } from "../../text";
import { visible } from "../../text/format";

type Props = { view: ReplanView; onDone: (isDone: Promise<boolean>) => Promise<void> };

export function ReplanFooter({ view, onDone }: Props) {
  const state = useReplan();
  const { isEditing, isBusy, refused, preview, isChecking } = state;
  const why = preview && preview.refused.length > 0 ? preview.refused : [];
  return (
    <footer className="replan-footer">
      {refused ? <FaultLine text={visible(refused)} /> : null}
      {why.length > 0 ? (
        <div className="replan-refused" role="alert" data-testid="replan-refused">
          <b>{t.replan.refused}</b>
          <ul>
            {why.map((reason) => (
              <li key={reason} className="sel sm" dir="auto">
                {visible(reason)}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {isEditing ? null : <AskAgain view={view} />}
      <div className="replan-acts">
        <Button
          look="primary"
          size="large"
          className="grow"
          icon={<Check className="icon" size={15} strokeWidth={2} aria-hidden="true" />}
          hint={printKeys("ctrl+enter")}
          disabled={!mayAccept(state)}
          onClick={() => void onDone(accept())}
          data-testid="replan-accept"
        >
          {labelOf(view, state)}
        </Button>
        {isEditing ? (
          <Button size="large" disabled={isBusy} onClick={endEdit} data-testid="replan-edit-end">
            {t.replan.editEnd}
          </Button>
        ) : (
          <Button
            size="large"
            disabled={isBusy}
            icon={<Pencil className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
            onClick={beginEdit}
            data-testid="replan-edit"
          >
            {t.replan.edit}
          </Button>
        )}
        <Button size="large" disabled={isBusy} onClick={() => void onDone(reject())} data-testid="replan-reject">
          {t.replan.reject}
        </Button>
      </div>
      <p className="xs t3 replan-note" role="status">
        {isChecking ? t.replan.checking : t.replan.rejectNote}
      </p>
    </footer>
  );
}

function labelOf(view: ReplanView, { edited, out }: { edited: unknown; out: ReadonlySet<string> }): string {
  if (edited) return t.replan.acceptEdited;
  const all = view.pieces.length;
  return out.size > 0 ? t.replan.acceptPart(all - out.size, all) : t.replan.accept;
}

function AskAgain({ view }: { view: ReplanView }) {
  const note = useReplan((s) => s.note);
  const isBusy = useReplan((s) => s.isBusy);
  const left = Math.max(0, view.most - view.row.attempt);
  const ask = () => {
    if (left > 0 && !isBusy) void askAgain();
  };
  return (
    <>
      <div className="replan-again">
        <textarea
          className="field grow"
          rows={Math.min(4, Math.max(1, note.split("\n").length))}
          placeholder={t.replan.tell}
          aria-label={t.replan.tell}
          dir="auto"
          maxLength={8000}
          disabled={left === 0}
          value={note}
          onChange={(event) => useReplan.setState({ note: event.target.value })}
          data-testid="replan-note"
        />
        <Button
          disabled={left === 0 || isBusy}
          icon={<RefreshCw className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
          onClick={ask}
          data-testid="replan-again"
        >
          {t.replan.askAgain}
        </Button>
      </div>
      <p className="xs t3">{t.replan.left(left)}</p>
    </>
  );
}
