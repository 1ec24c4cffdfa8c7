// The panel while a change is proposed: every piece with what it changes, field by field, beside the inspector.
import type { KeyboardEvent, ReactNode } from "react";
import { Tabs } from "../../components/controls/controls";
import { keyOf } from "../../components/controls/keys";
import type { ProposalView } from "../../ipc/bindings";
import { leftOf, useProposal } from "../../state/proposal";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Piece } from "./Piece";
import { showStep } from "./ProposalDock";

export function ProposalSide({ run, children }: { run: string; children: ReactNode }) {
  const view = useProposal((s) => (s.run === run ? s.view : null));
  const isShown = useProposal((s) => s.isShown);
  if (!view || leftOf(view).length === 0) return children;
  const tab = isShown ? "proposal" : "inspector";
  return (
    <div className="proposal-side">
      <Tabs
        label={t.proposal.label}
        panel="proposal-panel"
        value={tab}
        onChange={(next) => useProposal.setState({ isShown: next === "proposal" })}
        tabs={[
          { value: "proposal", label: `${t.proposal.tabs.proposal} ${leftOf(view).length}` },
          { value: "inspector", label: t.proposal.tabs.inspector },
        ]}
      />
      <div
        className="proposal-panel"
        id="proposal-panel"
        role="tabpanel"
        aria-labelledby={`proposal-panel-${tab}`}
        data-testid="proposal-side"
      >
        {isShown ? <Pieces view={view} /> : children}
      </div>
    </div>
  );
}

function Pieces({ view }: { view: ProposalView }) {
  const chosen = useProposal((s) => s.chosen);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key !== "arrowdown" && key !== "arrowup") return;
    event.preventDefault();
    showStep(key === "arrowdown" ? 1 : -1);
    requestAnimationFrame(focusChosen);
  };
  return (
    <div className="panel-body proposal-body">
      <section>
        <h3 className="heading">{t.proposal.wanted}</h3>
        <p className="proposal-wanted sel" dir="auto">
          {visible(view.wanted)}
        </p>
      </section>
      {view.notes.length > 0 ? (
        <section>
          <h3 className="heading">{t.proposal.notes}</h3>
          <ul className="planning-notes">
            {view.notes.map((note) => (
              <li key={note} className="sel">
                {visible(note)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {view.problems.length > 0 ? <Problems view={view} /> : null}
      <ol className="proposal-pieces" onKeyDown={onKeyDown}>
        {view.pieces.map((piece) => (
          <Piece key={piece.id} piece={piece} view={view} isChosen={piece.id === chosen} />
        ))}
      </ol>
    </div>
  );
}

function focusChosen(): void {
  document.querySelector<HTMLElement>('.proposal-pieces [aria-current="true"] .proposal-head')?.focus();
}

function Problems({ view }: { view: ProposalView }) {
  return (
    <section className="proposal-problems" data-testid="proposal-problems">
      <h3 className="heading">{t.proposal.problems(view.problems.length)}</h3>
      {view.state === "unmended" ? <p className="sm t2">{t.proposal.unmended}</p> : null}
      <ul className="planning-notes">
        {view.problems.map((problem) => (
          <li key={`${problem.code} ${problem.pointer}`} className="sel">
            {visible(problem.message)}
          </li>
        ))}
      </ul>
    </section>
  );
}
