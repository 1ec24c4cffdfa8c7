// The versions tab: every revision, the newest first. Choosing one shows what has changed since; it can be named.
import { BadgeCheck, Tag } from "lucide-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { Button, IconButton } from "../../../components/controls/controls";
import type { DraftView, RevisionView } from "../../../ipc/bindings";
import { closeComparison, compare, readVersions, useVersions } from "../../../state/versions";
import { t } from "../../../text";
import { age, visible } from "../../../text/format";
import { NameField } from "./NameField";

const PAGE = 100;

export function Versions({ view }: { view: DraftView }) {
  const revisions = useVersions((s) => (s.run === view.run ? s.revisions : null));
  const fault = useVersions((s) => s.fault);
  const [naming, setNaming] = useState<number | null>(null);
  const [most, setMost] = useState(PAGE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision means another list
  useEffect(() => void readVersions(view.run), [view.run, view.revision]);
  if (fault && !revisions) return <Trouble run={view.run} message={fault.message} />;
  if (!revisions) return <p className="left-none t3 sm">{t.versions.loading}</p>;
  const shown = revisions.slice(0, most);
  return (
    <div className="versions">
      <div className="versions-head">
        <p className="sm t3 grow">{t.versions.note}</p>
        <Button
          size="small"
          icon={<Tag className="icon" size={13} strokeWidth={1.75} />}
          onClick={() => setNaming(view.revision)}
          data-testid="name-now"
        >
          {t.versions.nameNow}
        </Button>
      </div>
      <List view={view} rows={shown} naming={naming} onName={setNaming} />
      {revisions.length > most ? (
        <Button size="small" look="ghost" onClick={() => setMost(most + PAGE)}>
          {t.versions.more(Math.min(PAGE, revisions.length - most))}
        </Button>
      ) : (
        <LeftOff />
      )}
    </div>
  );
}

function LeftOff() {
  const leftOff = useVersions((s) => s.leftOff);
  return leftOff > 0 ? <p className="left-none t3 sm">{t.versions.leftOff(leftOff)}</p> : null;
}

function Trouble({ run, message }: { run: string; message: string }) {
  return (
    <div className="left-none sm" role="alert">
      <p>
        <b>{t.versions.faultTitle}</b>
      </p>
      <p className="t2">{visible(message)}</p>
      <Button size="small" onClick={() => void readVersions(run)}>
        {t.versions.again}
      </Button>
    </div>
  );
}

type ListProps = {
  view: DraftView;
  rows: readonly RevisionView[];
  naming: number | null;
  onName: (revision: number | null) => void;
};

function List({ view, rows, naming, onName }: ListProps) {
  const chosen = useVersions((s) => s.chosen);
  const active = rows.some((r) => r.revision === chosen) ? chosen : rows[0]?.revision;
  const open = (row: RevisionView) => {
    if (row.revision === view.revision) closeComparison();
    else void compare(view.run, row.revision, row.revision, view.revision);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined ? undefined : rows[rows.findIndex((r) => r.revision === active) + step];
    if (!next || (event.target as HTMLElement).tagName === "INPUT") return;
    event.preventDefault();
    open(next);
    document.getElementById(`version-${next.revision}`)?.focus();
  };
  return (
    <ul className="versions-list" aria-label={t.versions.list} onKeyDown={onKeyDown} data-testid="versions">
      {rows.map((row) => (
        <li key={row.seq} className={row.revision === (chosen ?? view.revision) ? "chosen" : ""}>
          {naming === row.revision ? (
            <NameField run={view.run} row={row} onClose={() => onName(null)} />
          ) : (
            <Row
              row={row}
              isNow={row.revision === view.revision}
              isActive={row.revision === active}
              onOpen={() => open(row)}
              onName={() => onName(row.revision)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

type RowProps = { row: RevisionView; isNow: boolean; isActive: boolean; onOpen: () => void; onName: () => void };

function Row({ row, isNow, isActive, onOpen, onName }: RowProps) {
  const what = t.versions.row(t.versions.how[row.how], row.label);
  return (
    <>
      <button
        type="button"
        id={`version-${row.revision}`}
        className="version"
        tabIndex={isActive ? 0 : -1}
        onClick={onOpen}
        data-testid={`version-${row.revision}`}
      >
        <span className="version-number num">{row.revision}</span>
        <span className="version-text">
          {row.name ? (
            <b className="el" dir="auto" title={visible(row.name)}>
              {visible(row.name)}
            </b>
          ) : null}
          <span className={`version-what ${row.name ? "t3 sm" : ""}`} title={visible(what)}>
            {visible(what)}
          </span>
          <span className="version-facts xs t3">
            {age(row.at, Date.now())}
            {isNow ? <span className="tag">{t.versions.now}</span> : null}
            {row.isSigned ? (
              <span className="tag">
                <BadgeCheck size={11} aria-hidden="true" />
                {t.versions.approved}
              </span>
            ) : null}
          </span>
        </span>
      </button>
      <IconButton
        label={t.versions.nameOf(row.revision)}
        size="small"
        tabIndex={isActive ? 0 : -1}
        icon={<Tag size={13} strokeWidth={1.75} />}
        onClick={onName}
        data-testid={`name-${row.revision}`}
      />
    </>
  );
}
