// The dialog that asks which run another one is to be compared with: forks of the same log first, then the same plan's.
import { Dialog } from "@base-ui/react/dialog";
import { Search, X } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Button, FaultLine, IconButton } from "../../components/controls/controls";
import { Skeleton } from "../../components/controls/panel";
import { focusAtOnce } from "../../components/controls/work";
import { RunIcon } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { FamilyRow, Kin } from "../../ipc/bindings";
import { askCompare, compareWith, leaveCompare, useAsked } from "../../state/compare";
import { t } from "../../text";
import { visible, when } from "../../text/format";
import { noteOf, shortId } from "./words";

const PAGE = 60;

export function ComparePicker() {
  const { asking, family, fault } = useAsked();
  const own = family?.rows.find((one) => one.row.run === asking);
  return (
    <Dialog.Root open={asking !== null} onOpenChange={(open) => !open && leaveCompare()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog compare-picker" data-testid="compare-picker">
          <div className="row">
            <Dialog.Title className="grow el">
              {t.compare.pick(own ? visible(own.row.title) : t.compare.a)}
            </Dialog.Title>
            <IconButton label={t.words.close} icon={<X size={15} strokeWidth={1.75} />} onClick={leaveCompare} />
          </div>
          <Dialog.Description className="sm t3">{t.compare.pickNote}</Dialog.Description>
          {fault ? (
            <>
              <FaultLine text={visible(fault.message)} />
              <Button onClick={() => asking !== null && void askCompare(asking)}>{t.words.retry}</Button>
            </>
          ) : family ? (
            <Choices rows={family.rows.filter((one) => one.row.run !== asking)} />
          ) : (
            <Skeleton rows={4} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({ rows }: { rows: readonly FamilyRow[] }) {
  const [text, setText] = useState("");
  const [most, setMost] = useState(PAGE);
  const now = useNow(60_000);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const found = rows.filter(({ row }) => row.title.toLowerCase().includes(wanted) || row.run.includes(wanted));
  const shown = found.slice(0, most);
  if (rows.length === 0) return <p className="t2 compare-none">{t.compare.pickNone}</p>;
  return (
    <>
      <div className="field">
        <Search className="icon t3" size={14} aria-hidden="true" />
        <input
          aria-label={t.compare.find}
          placeholder={t.compare.find}
          ref={focusAtOnce}
          value={text}
          onChange={(event) => setText(event.target.value)}
          data-testid="compare-find"
        />
      </div>
      <div className="compare-choices">
        {(["fork", "same_plan", "other"] as const).map((kin) => (
          <Group key={kin} kin={kin} rows={shown.filter((one) => one.kin === kin)} now={now} />
        ))}
        {found.length === 0 ? <p className="t3 compare-none">{t.lists.nothingFound}</p> : null}
        {found.length > most ? (
          <Button look="ghost" size="small" onClick={() => setMost(most + PAGE)}>
            {t.values.moreRows(Math.min(PAGE, found.length - most), found.length)}
          </Button>
        ) : null}
      </div>
    </>
  );
}

function Group({ kin, rows, now }: { kin: Kin; rows: readonly FamilyRow[]; now: number }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={t.compare.kin[kin]}>
      <h3 className="heading">{t.compare.kin[kin]}</h3>
      <ul>
        {rows.map((one) => (
          <li key={one.row.run}>
            <button type="button" onClick={() => compareWith(one.row.run)} data-testid={`pick-${one.row.run}`}>
              <RunIcon status={one.row.status} />
              <b className="el" dir="auto">
                {visible(one.row.title)}
              </b>
              <span className="xs t3 el grow">
                {[shortId(one.row.run), noteOf(one), t.words.runStatus[one.row.status]].filter(Boolean).join(" · ")}
              </span>
              <span className="xs t3 num">{when(one.row.startedAt, now)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
