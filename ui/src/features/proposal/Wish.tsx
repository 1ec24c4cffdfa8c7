// What shall be otherwise, in the person's words, with who is asked for it and what leaves the machine.
import { DraftingCompass, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { Button, FaultLine, IconButton } from "../../components/controls/controls";
import { keyOf, printKeys } from "../../components/controls/keys";
import { rolesOf, shortName, useModels } from "../../state/models";
import { askForChange, changeWish, useProposal } from "../../state/proposal";
import { t } from "../../text";
import { visible } from "../../text/format";

export function Wish({ onClose }: { onClose: () => void }) {
  const wish = useProposal((s) => s.wish);
  const fault = useProposal((s) => s.fault);
  const planner = useModels((s) => (s.view ? (rolesOf(s.view, "planner")[0] ?? "") : ""));
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    field.current?.focus();
    const from = before.current;
    return () => {
      if (document.activeElement === document.body && from instanceof HTMLElement) from.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    if (key === "ctrl+enter") void askForChange();
    else if (key === "escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section className="proposal-dock" aria-label={t.proposal.title} onKeyDown={onKeyDown} data-testid="wish">
      <header>
        <DraftingCompass className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />
        <h2>{t.proposal.title}</h2>
        <IconButton label={t.proposal.close} hint={printKeys("escape")} icon={<X size={15} />} onClick={onClose} />
      </header>
      <textarea
        ref={field}
        className="field"
        rows={3}
        dir="auto"
        aria-label={t.proposal.wish}
        placeholder={t.proposal.hint}
        value={wish}
        onChange={(event) => changeWish(event.target.value)}
        data-testid="wish-text"
      />
      {fault ? <FaultLine text={fault} /> : null}
      <footer>
        <p className="sm t3 grow">
          {planner ? t.proposal.sends(visible(shortName(planner))) : t.proposal.noModel} {t.proposal.nothingYet}
        </p>
        <Button
          look="primary"
          disabled={wish.trim() === "" || !planner}
          onClick={() => void askForChange()}
          data-testid="ask-change"
        >
          {t.proposal.ask}
          <kbd>{printKeys("ctrl+enter")}</kbd>
        </Button>
      </footer>
    </section>
  );
}
