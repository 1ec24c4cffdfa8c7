// The list of what waits, by run, with a filter where there is much of it.
import { Search } from "lucide-react";
import { memo } from "react";
import { printKeys } from "../../components/controls/keys";
import { Select } from "../../components/controls/Select";
import { DecisionIcon, decisionTone } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { DecisionKind, DecisionView } from "../../ipc/bindings";
import { keyOfDecision } from "../../state/decide";
import { t } from "../../text";
import { age, visible } from "../../text/format";
import { type Filter, type Group, kindsOf } from "./sorted";

/** Fewer than that are seen at a glance. */
const MANY = 8;

type Props = {
  all: readonly DecisionView[];
  groups: readonly Group[];
  focused: DecisionView | undefined;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  titleOf: (run: string) => string;
  onChoose: (key: string) => void;
};

export function DecisionList({ all, groups, focused, filter, onFilter, titleOf, onChoose }: Props) {
  const stopped = new Set(all.map((d) => d.run)).size;
  const isFiltered = filter.kind !== null || filter.text !== "";
  return (
    <>
      <header className="inbox-head">
        <h2 className="grow">{t.inbox.title}</h2>
        <span className="xs t3">{t.inbox.order}</span>
      </header>
      <p className="xs t3 inbox-note">{t.inbox.stopped(stopped)}</p>
      {all.length >= MANY || isFiltered ? <Filters all={all} filter={filter} onFilter={onFilter} /> : null}
      <div className="panel-body inbox-list">
        {groups.map((group) => (
          <section key={group.run} aria-label={visible(titleOf(group.run))}>
            <h3 className="xs t3 el inbox-run" dir="auto">
              {visible(titleOf(group.run))}
            </h3>
            <Rows decisions={group.decisions} focused={focused} onChoose={onChoose} />
          </section>
        ))}
        {groups.length === 0 ? <p className="sm t3 inbox-note">{t.inbox.noMatch}</p> : null}
      </div>
      <footer className="inbox-foot">
        <span>
          <kbd>{printKeys("j")}</kbd> <kbd>{printKeys("k")}</kbd> {t.inbox.move}
        </span>
        <span>
          <kbd>{printKeys("1")}</kbd> – <kbd>{printKeys("4")}</kbd> {t.inbox.choose}
        </span>
        <span>
          <kbd>{printKeys("ctrl+enter")}</kbd> {t.inbox.sendKey}
        </span>
      </footer>
    </>
  );
}

function Filters({ all, filter, onFilter }: Pick<Props, "all" | "filter" | "onFilter">) {
  const kinds = kindsOf(all);
  const options = [
    { value: "", label: t.inbox.allKinds(all.length) },
    ...kinds.map(([kind, n]) => ({ value: kind, label: t.inbox.ofKind(t.inbox.kind[kind], n) })),
  ];
  return (
    <div className="inbox-filter">
      <label className="inbox-search">
        <Search className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
        <input
          className="field"
          value={filter.text}
          placeholder={t.inbox.find}
          aria-label={t.inbox.find}
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
          data-testid="inbox-find"
        />
      </label>
      {kinds.length > 1 ? (
        <Select
          label={t.inbox.kinds}
          options={options}
          value={filter.kind ?? ""}
          onChange={(kind) => onFilter({ ...filter, kind: kind === "" ? null : (kind as DecisionKind) })}
          testId="inbox-kind"
        />
      ) : null}
    </div>
  );
}

type RowsProps = {
  decisions: readonly DecisionView[];
  focused: DecisionView | undefined;
  onChoose: (key: string) => void;
};

function Rows({ decisions, focused, onChoose }: RowsProps) {
  const now = useNow(10_000);
  return (
    <ul>
      {decisions.map((decision) => (
        <Row
          key={keyOfDecision(decision)}
          decision={decision}
          isFocused={decision === focused}
          since={age(decision.openedAt, now)}
          onChoose={onChoose}
        />
      ))}
    </ul>
  );
}

type RowProps = { decision: DecisionView; isFocused: boolean; since: string; onChoose: (key: string) => void };

/** A step from one to the next draws two of them, however many there are. */
const Row = memo(
  function Row({ decision, isFocused, since, onChoose }: RowProps) {
    return (
      <li>
        <button
          type="button"
          className="inbox-row"
          aria-current={isFocused}
          onClick={() => onChoose(keyOfDecision(decision))}
          data-testid={`row-${keyOfDecision(decision)}`}
        >
          <span className={`inbox-mark ${decisionTone(decision.kind)}`}>
            <DecisionIcon kind={decision.kind} size={15} />
          </span>
          <span className="grow">
            <b className="el" dir="auto">
              {visible(decision.question)}
            </b>
            <span className="sm t3 el" dir="auto">
              {visible(decision.taskTitle ?? decision.task ?? t.inbox.kind[decision.kind])}
            </span>
          </span>
          <span className="xs t3 num">{since}</span>
        </button>
      </li>
    );
  },
  // What is asked under an id never changes.
  (a, b) =>
    a.isFocused === b.isFocused && a.since === b.since && keyOfDecision(a.decision) === keyOfDecision(b.decision),
);
