// What narrows a list: state, tag, time, and one field that finds names and what stands inside of plans and runs. And what
// can be done with the rows that are chosen.
import { Search, Trash2, X } from "lucide-react";
import { Button, IconButton, Segments } from "../../components/controls/controls";
import { Select } from "../../components/controls/Select";
import type { RunStatus } from "../../ipc/bindings";
import { choose, useFinding, type Wanted } from "../../state/finding";
import { askDeleteThese } from "../../state/keeping";
import { t } from "../../text";
import { bytes, visible } from "../../text/format";

export type StateFilter = keyof typeof t.lists.filters;
export type TimeFilter = keyof typeof t.lists.times;
export type Narrowing = { state: StateFilter; tag: string | null; time: TimeFilter };

export const STATES: Record<Exclude<StateFilter, "all">, readonly RunStatus[]> = {
  going: ["RUNNING", "PAUSED"],
  waiting: ["WAITING", "BLOCKED"],
  succeeded: ["SUCCEEDED"],
  failed: ["FAILED", "CANCELLED"],
};

/** Changed within so many days. */
export const DAYS: Record<TimeFilter, number | null> = { any: null, day: 1, week: 7, month: 30 };

/** No tag is called so: a tag begins with a letter or digit. */
const ANY = "*";

type Props = {
  kind: Wanted["kind"];
  narrowing: Narrowing;
  onNarrow: (narrowing: Narrowing) => void;
  text: string;
  onText: (text: string) => void;
};

export function ListTools({ kind, narrowing, onNarrow, text, onText }: Props) {
  const tags = useFinding((s) => s.page?.tags ?? NO_TAGS);
  const times = Object.keys(t.lists.times) as TimeFilter[];
  const offered =
    narrowing.tag === null || tags.some(({ tag }) => tag === narrowing.tag) ? tags : [...tags, ALONE(narrowing.tag)];
  return (
    <search className="lists-tools">
      <div className="field lists-find">
        <Search className="icon t3" size={14} aria-hidden="true" />
        <input
          type="text"
          aria-label={t.lists.search}
          aria-describedby="lists-find-note"
          placeholder={t.lists.searchHint}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || text === "") return;
            event.stopPropagation();
            onText("");
          }}
          data-testid="list-search"
        />
        {text !== "" ? (
          <IconButton label={t.lists.clear} size="small" icon={<X size={13} />} onClick={() => onText("")} />
        ) : null}
        <span id="lists-find-note" className="vh">
          {t.lists.searchNote}
        </span>
      </div>
      {kind === "runs" ? (
        <Segments
          label={t.lists.filter}
          value={narrowing.state}
          onChange={(state) => onNarrow({ ...narrowing, state })}
          choices={(Object.keys(t.lists.filters) as StateFilter[]).map((value) => ({
            value,
            label: t.lists.filters[value],
          }))}
          testId="list-states"
        />
      ) : null}
      <Select
        label={t.lists.time}
        value={narrowing.time}
        options={times.map((value) => ({ value, label: t.lists.times[value] }))}
        onChange={(value) => onNarrow({ ...narrowing, time: value as TimeFilter })}
        testId="list-time"
      />
      {offered.length > 0 ? (
        <Select
          label={t.lists.tag}
          value={narrowing.tag ?? ANY}
          options={[
            { value: ANY, label: t.lists.anyTag },
            ...offered.map(({ tag, count }) => ({ value: tag, label: visible(tag), note: String(count) })),
          ]}
          onChange={(value) => onNarrow({ ...narrowing, tag: value === ANY ? null : value })}
          testId="list-tag"
        />
      ) : null}
    </search>
  );
}

const NO_TAGS: readonly { tag: string; count: number }[] = [];
const ALONE = (tag: string) => ({ tag, count: 0 });

/** How many rows are chosen, what they take, and that they can go. */
export function ChosenBar() {
  const chosen = useFinding((s) => s.chosen);
  const sizes = useFinding((s) => s.sizes);
  const rows = useFinding((s) => s.page?.rows);
  if (chosen.size === 0) {
    const all = rows?.reduce((sum, row) => sum + (sizes.get(row.run) ?? 0), 0) ?? 0;
    if (!rows || rows.length === 0 || all === 0) return null;
    return (
      <p className="t3 sm num lists-sum" data-testid="list-sum">
        {t.lists.take(rows.length, bytes(all))}
      </p>
    );
  }
  const size = [...chosen].reduce((sum, run) => sum + (sizes.get(run) ?? 0), 0);
  return (
    <div className="lists-chosen" role="group" aria-label={t.lists.chosen(chosen.size)} data-testid="chosen">
      <b className="num">{t.lists.chosen(chosen.size)}</b>
      <span className="t2 num">{bytes(size)}</span>
      <span className="grow" />
      <Button look="ghost" size="small" onClick={() => choose([...chosen], false)} data-testid="choose-none">
        {t.lists.chooseNone}
      </Button>
      <Button
        look="danger"
        size="small"
        icon={<Trash2 className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => void askDeleteThese([...chosen])}
        data-testid="delete-chosen"
      >
        {t.keeping.delete}
      </Button>
    </div>
  );
}
