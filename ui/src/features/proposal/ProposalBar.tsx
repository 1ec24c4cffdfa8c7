// The way through what is proposed, over the canvas: one change after the other, or all of it at once.
import { Check, ChevronLeft, ChevronRight, CircleAlert, DraftingCompass, PanelRight, X } from "lucide-react";
import { Button, Hint, IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { ProposalView } from "../../ipc/bindings";
import { usePanel } from "../../state/panels";
import { dropPieces, leftOf, openWish, takeAll, takenWith, takePieces, useProposal } from "../../state/proposal";
import { t } from "../../text";
import { list, spentText, visible } from "../../text/format";
import { showStep } from "./ProposalDock";

const S = { size: 15, strokeWidth: 1.75 };

export function ProposalBar({ view }: { view: ProposalView }) {
  const left = leftOf(view);
  if (left.length === 0) return <Nothing view={view} />;
  return <Way view={view} />;
}

function Way({ view }: { view: ProposalView }) {
  const left = leftOf(view);
  const chosen = useProposal((s) => s.chosen);
  const panel = usePanel("plan.right");
  const at = Math.max(
    0,
    left.findIndex((piece) => piece.id === chosen),
  );
  const piece = left[at];
  if (!piece) return null;
  const along = takenWith(view, piece.id);
  const isOff = piece.standing === "moved";
  return (
    <section className="proposal-dock bar" aria-label={t.proposal.label} data-testid="proposal-bar">
      <div className="proposal-row">
        <DraftingCompass className="icon" {...S} aria-hidden="true" />
        <span className="grow el">
          <b className="num">{t.proposal.proposed(left.length)}</b>
          <span className="t3 num"> {spentText(view.spent)}</span>
        </span>
        {panel.isOpen ? null : (
          <IconButton label={t.proposal.showPanel} icon={<PanelRight {...S} />} onClick={panel.toggle} />
        )}
        <Hint text={t.proposal.leaveAll}>
          <Button look="ghost" size="small" onClick={() => void dropPieces([])} data-testid="leave-all">
            {t.proposal.leaveAll}
          </Button>
        </Hint>
        <Hint text={t.proposal.takeAll} keys={printKeys("ctrl+enter")}>
          <Button
            size="small"
            disabled={!left.some((one) => one.standing === "open")}
            onClick={() => void takeAll()}
            data-testid="take-all"
          >
            {t.proposal.takeAll}
          </Button>
        </Hint>
      </div>
      <div className="proposal-row">
        <IconButton label={t.proposal.previous} hint="[" icon={<ChevronLeft {...S} />} onClick={() => showStep(-1)} />
        <span className="num sm">{t.proposal.of(at + 1, left.length)}</span>
        <IconButton label={t.proposal.next} hint="]" icon={<ChevronRight {...S} />} onClick={() => showStep(1)} />
        <span className={`proposal-kind ${piece.kind}`}>{t.proposal.kind[piece.kind]}</span>
        <span className="grow el" dir="auto" title={visible(piece.title)}>
          {visible(piece.title)}
        </span>
        <Hint text={t.proposal.leaveThis(visible(piece.title))} keys="X">
          <Button
            size="small"
            icon={<X className="icon" size={13} aria-hidden="true" />}
            onClick={() => void dropPieces([piece.id])}
            data-testid="leave-piece"
          >
            {t.proposal.leave}
          </Button>
        </Hint>
        <Hint text={t.proposal.takeThis(visible(piece.title))} keys="Y">
          <Button
            size="small"
            icon={<Check className="icon" size={13} aria-hidden="true" />}
            disabled={isOff}
            onClick={() => void takePieces([piece.id])}
            data-testid="take-piece"
          >
            {t.proposal.take}
          </Button>
        </Hint>
      </div>
      {isOff ? (
        <p className="sm tone-retrying" role="status">
          {visible(piece.why ?? "")}
        </p>
      ) : along.length > 0 ? (
        <p className="sm t3">{t.proposal.with(list(along.map((one) => visible(one.title))))}</p>
      ) : null}
    </section>
  );
}

/** Nothing came of it, or nothing that could be taken: why, what was kept, what to do next. */
function Nothing({ view }: { view: ProposalView }) {
  const isFailed = view.state === "failed";
  return (
    <section className="proposal-dock" aria-label={t.proposal.label} data-testid="proposal-none">
      <header>
        <CircleAlert className={`icon ${isFailed ? "tone-failed" : "t3"}`} {...S} aria-hidden="true" />
        <h2>{isFailed ? t.proposal.failed : t.proposal.none}</h2>
        <IconButton label={t.proposal.close} icon={<X {...S} />} onClick={() => void dropPieces([])} />
      </header>
      {view.error ? (
        <p className="sel" data-testid="change-error">
          {visible(view.error)}
        </p>
      ) : null}
      {view.notes.map((note) => (
        <p key={note} className="sel t2">
          {visible(note)}
        </p>
      ))}
      {isFailed ? (
        <dl className="facts">
          <dt>{t.proposal.kept}</dt>
          <dd>{t.proposal.keptText}</dd>
          <dt>{t.proposal.nextWord}</dt>
          <dd>{t.proposal.failedNext}</dd>
        </dl>
      ) : null}
      <footer>
        <p className="proposal-wanted sm t3 grow" dir="auto">
          {visible(view.wanted)}
        </p>
        <Button onClick={() => again(view.wanted)} data-testid="ask-again">
          {t.proposal.again}
        </Button>
      </footer>
    </section>
  );
}

function again(wanted: string): void {
  if (useProposal.getState().wish.trim() === "") useProposal.setState({ wish: wanted });
  openWish();
}
