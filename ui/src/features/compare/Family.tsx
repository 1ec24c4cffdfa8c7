// The runs that belong together, as a tree of forks: a click sets A, a Shift-click B.
import { GitFork } from "lucide-react";
import type { MouseEvent } from "react";
import { RUN_TONE, RunIcon } from "../../components/marks/marks";
import { useNow } from "../../components/marks/time";
import type { FamilyRow } from "../../ipc/bindings";
import { go } from "../../state/route";
import { t } from "../../text";
import { dollars, visible, when } from "../../text/format";
import { useCompare } from "./store";
import { noteOf, shortId } from "./words";

/** Deeper forks stand where the last one stood. */
const DEEPEST = 6;

export function Family({ a, b }: { a: string; b: string }) {
  const family = useCompare((s) => s.family);
  const now = useNow(60_000);
  const rows = family?.rows.filter((row) => row.kin !== "other" || row.row.run === a || row.row.run === b) ?? [];
  return (
    <div className="compare-family" data-testid="compare-family">
      <header className="compare-family-head">
        <h2 className="heading grow">{t.compare.familyOf}</h2>
        <span className="xs t3">{t.compare.family(rows.length)}</span>
      </header>
      <ul aria-label={t.compare.familyOf}>
        {rows.map((row) => (
          <Row key={row.row.run} one={row} a={a} b={b} now={now} />
        ))}
      </ul>
      <p className="compare-family-note xs t3">{t.compare.familyNote}</p>
    </div>
  );
}

function Row({ one, a, b, now }: { one: FamilyRow; a: string; b: string; now: number }) {
  const { row } = one;
  const [isA, isB] = [row.run === a, row.run === b];
  const depth = Math.min(one.depth, DEEPEST);
  const set = (event: MouseEvent) =>
    go(event.shiftKey ? { screen: "compare", a, b: row.run } : { screen: "compare", a: row.run, b });
  return (
    <li
      className={`${isA ? "is-a" : ""} ${isB ? "is-b" : ""}`}
      style={{ paddingLeft: `${depth * 1.2}rem` }}
      data-depth={depth}
    >
      {depth > 0 ? <i className="branch" style={{ left: `${(depth - 1) * 1.2 + 0.9}rem` }} aria-hidden="true" /> : null}
      <button
        type="button"
        onClick={set}
        aria-current={isA || isB ? "true" : undefined}
        data-testid={`family-${row.run}`}
      >
        <RunIcon status={row.status} />
        <span className="compare-entry">
          <span className="row compare-run-name">
            <b className="el" dir="auto">
              {visible(row.title)}
            </b>
            {isA ? <Badge side="a" /> : null}
            {isB ? <Badge side="b" /> : null}
            <span className="grow" />
            <span className="xs t3 num">{when(row.startedAt, now)}</span>
          </span>
          {noteOf(one) ? (
            <span className="xs t3">
              <GitFork className="icon" size={11} strokeWidth={1.75} aria-hidden="true" /> {noteOf(one)}
            </span>
          ) : null}
          <span className={`xs tone-${RUN_TONE[row.status]}`}>
            {t.words.runStatus[row.status]}
            <span className="t3">
              {" "}
              {shortId(row.run)} · {dollars(row.spent.usd)}
            </span>
          </span>
        </span>
      </button>
    </li>
  );
}

function Badge({ side }: { side: "a" | "b" }) {
  return (
    <>
      <span className={`compare-badge ${side} small`} aria-hidden="true">
        {side.toUpperCase()}
      </span>
      <span className="vh">{t.compare[side]}</span>
    </>
  );
}
