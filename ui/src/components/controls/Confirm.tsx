// A question that stops: what is kept, what is lost, what can be done later, then the acts. Focus starts on the safe one.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import type { ReactNode } from "react";
import { useRef } from "react";

export type Fact = { term: string; text: string };

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  facts: readonly Fact[];
  /** The safe way out. */
  keep: string;
  children?: ReactNode;
  testId?: string;
};

export function Confirm({ open, onClose, title, facts, keep, children, testId }: Props) {
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Popup className="dialog" initialFocus={safe} data-testid={testId}>
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>
            <dl className="facts">
              {facts.map((fact) => (
                <FactRow key={fact.term} fact={fact} />
              ))}
            </dl>
          </AlertDialog.Description>
          <div className="actions">
            {children}
            <AlertDialog.Close className="btn ghost medium" ref={safe} data-testid="confirm-keep">
              {keep}
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function FactRow({ fact }: { fact: Fact }) {
  return (
    <>
      <dt>{fact.term}</dt>
      <dd>{fact.text}</dd>
    </>
  );
}
