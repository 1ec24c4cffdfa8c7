// What waits for a person, said before all else on Home; a click leads to it.
import { Hand } from "lucide-react";
import { printKeys } from "../../components/controls/keys";
import { useNow } from "../../components/marks/time";
import { useLists } from "../../state/lists";
import { go } from "../../state/route";
import { t } from "../../text";
import { age, visible } from "../../text/format";

export function Decisions({ count }: { count: number }) {
  const inbox = useLists((s) => s.inbox);
  const now = useNow(10_000);
  const [oldest] = [...(inbox ?? [])].sort((a, b) => (a.openedAt ?? 0) - (b.openedAt ?? 0));
  return (
    <button
      type="button"
      className="decisions-card"
      onClick={() => go({ screen: "waiting" })}
      data-testid="decisions-card"
    >
      <Hand className="icon" size={18} strokeWidth={1.75} aria-hidden="true" />
      <span className="grow">
        <b>{t.home.waits(count)}</b>
        <span className="decisions-oldest">
          {oldest ? t.home.oldest(visible(oldest.question), age(oldest.openedAt, now)) : t.home.waitsNote}
        </span>
      </span>
      <kbd>{printKeys("g w")}</kbd>
    </button>
  );
}
