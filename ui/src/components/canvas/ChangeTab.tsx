// The mark of a difference over a card's top left: a sign and a word, so that it is never told by colour alone.
import { Lock, Minus, Pencil, Plus } from "lucide-react";
import { t } from "../../text";
import type { Change } from "./model";

const SIGN = { added: Plus, removed: Minus, changed: Pencil, kept: Lock } as const;

export function ChangeTab({ change }: { change: Change }) {
  const Sign = SIGN[change];
  return (
    <span className={`change-tab ${change}`}>
      <Sign size={11} strokeWidth={2.25} aria-hidden="true" />
      {t.canvas.change[change]}
    </span>
  );
}
