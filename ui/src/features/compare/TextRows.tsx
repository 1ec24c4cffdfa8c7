// One text of both runs, line against line: numbers, signs, and inside of lines what differs. A table to a screen reader.
import { Fragment, useEffect, useRef, useState } from "react";
import { Button } from "../../components/controls/controls";
import type { Hunk, HunkLine, TextDiff } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";
import { type Parts, partsOf, placesOf, type Row, rowsOf } from "./places";
import { useCompare } from "./store";
import { placeText } from "./words";

/** Rows at first, and with each wish for more. */
const PAGE = 400;

type Props = { text: TextDiff; ix: number; isOnly: boolean };

export function TextRows({ text, ix, isOnly }: Props) {
  const [most, setMost] = useState(PAGE);
  const rows = text.hunks.map(rowsOf);
  const counts = rows.map((of) => of.length);
  const all = counts.reduce((sum, n) => sum + n, 0);
  const output = useCompare((s) => s.output);
  const looked = useCompare((s) => s.place);
  const here = output ? placesOf(output)[looked] : undefined;
  // What is stepped to is shown, however far down it is.
  const isMine = here !== undefined && "text" in here && here.text === ix;
  const upto = isMine ? counts.slice(0, here.hunk + 1).reduce((sum, n) => sum + n, 0) : 0;
  const shownRows = Math.max(most, upto);
  const place = isOnly && text.at.a === "" ? "" : placeText(text.at);
  let room = shownRows;
  return (
    <section className="compare-text" aria-label={place || t.compare.output} data-testid={`text-${ix}`}>
      <div className="compare-text-head xs t3">
        {place ? <span className="mono t2">{place}</span> : null}
        <span>{text.changes === 0 ? t.compare.onlySpaces : t.compare.texts(text.changes)}</span>
        <span>{t.compare.equalLines(text.equalLines)}</span>
      </div>
      {text.isCoarse ? <p className="compare-said sm t2">{t.compare.coarse}</p> : null}
      <table className="compare-lines mono">
        <colgroup>
          <col className="n" />
          <col />
          <col className="n" />
          <col />
        </colgroup>
        <thead className="vh">
          <tr>
            <th scope="col">{t.compare.columns.line}</th>
            <th scope="col">{t.compare.columns.a}</th>
            <th scope="col">{t.compare.columns.line}</th>
            <th scope="col">{t.compare.columns.b}</th>
          </tr>
        </thead>
        {text.hunks.map((hunk, at) => {
          const shown = rows[at]?.slice(0, Math.max(0, room)) ?? [];
          room -= shown.length;
          if (shown.length === 0) return null;
          return (
            <HunkRows
              key={at}
              hunk={hunk}
              rows={shown}
              here={isMine && here.hunk === at ? here.change : null}
              isFirst={at === 0}
            />
          );
        })}
      </table>
      {all > shownRows ? (
        <Button size="small" look="ghost" onClick={() => setMost(shownRows + PAGE)}>
          {t.compare.moreRows(Math.min(PAGE, all - shownRows))}
        </Button>
      ) : null}
      {text.hunksLeftOff > 0 ? <p className="compare-said sm t3">{t.compare.morePlaces(text.hunksLeftOff)}</p> : null}
    </section>
  );
}

type HunkProps = { hunk: Hunk; rows: readonly Row[]; here: number | null; isFirst: boolean };

function HunkRows({ hunk, rows, here, isFirst }: HunkProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (here !== null) body.current?.querySelector("tr.here")?.scrollIntoView?.({ block: "nearest" });
  }, [here]);
  return (
    <tbody ref={body}>
      {isFirst ? null : (
        <tr className="gap" aria-hidden="true">
          <td colSpan={4}>⋯</td>
        </tr>
      )}
      {rows.map((row, at) => (
        <tr key={at} className={here !== null && row.change === here ? "here" : ""}>
          <Side line={row.a} other={row.b} row={row} side="a" />
          <Side line={row.b} other={row.a} row={row} side="b" />
        </tr>
      ))}
      {hunk.aLeftOut + hunk.bLeftOut > 0 ? (
        <tr className="gap">
          <td colSpan={4}>{t.compare.hidden(hunk.aLeftOut, hunk.bLeftOut)}</td>
        </tr>
      ) : null}
    </tbody>
  );
}

type SideProps = { line: HunkLine | null; other: HunkLine | null; row: Row; side: "a" | "b" };

function Side({ line, other, row, side }: SideProps) {
  if (line === null)
    return (
      <>
        <td className="n none" />
        <td className="none" />
      </>
    );
  const look = row.change === null ? "" : side === "a" ? "only-a" : "only-b";
  const parts: Parts = row.change === null ? [line.text, "", ""] : partsOf(line.text, other?.text ?? null);
  return (
    <>
      <td className={`n num ${look}`}>
        {side === "a" ? line.a : line.b}
        {look ? <span aria-hidden="true">{side === "a" ? "−" : "+"}</span> : null}
      </td>
      <td className={look} dir="auto">
        {look ? <span className="vh">{side === "a" ? t.compare.onlyInA : t.compare.onlyInB} </span> : null}
        <Line parts={parts} isMarked={other !== null && row.change !== null} />
        {line.leftOut > 0 ? <span className="t3"> {t.compare.cutOff(line.leftOut)}</span> : null}
      </td>
    </>
  );
}

function Line({ parts, isMarked }: { parts: Parts; isMarked: boolean }) {
  return (
    <>
      {parts.map((part, at) => {
        if (part === "") return null;
        const text = shown(part);
        return at === 1 && isMarked ? <mark key={at}>{text}</mark> : <Fragment key={at}>{text}</Fragment>;
      })}
    </>
  );
}

/** A carriage return may be all that differs. */
function shown(text: string): string {
  return visible(text).replaceAll("\r", "␍");
}
