// The time axis in words: the same as the bars, for the keyboard and for screen readers.
import { useMemo, useState } from "react";
import type { SpanView, TimelineView } from "../../ipc/bindings";
import { t } from "../../text";
import { clock, took, visible } from "../../text/format";
import type { Axis } from "./axis";
import { nameOf } from "./describe";
import type { Row } from "./rows";

const AT_FIRST = 300;

type Props = {
  line: TimelineView;
  axis: Axis;
  rows: readonly Row[];
  chosen: string | undefined;
  onChoose: (task: string) => void;
};

export function SpanTable({ line, axis, rows, chosen, onChoose }: Props) {
  const [most, setMost] = useState(AT_FIRST);
  const all = useMemo(() => rows.flatMap((row) => row.bars.map((bar) => ({ row, bar }))), [rows]);
  const left = all.length - most;
  const heads = t.review.columns;
  return (
    <section className="span-table" aria-label={t.review.tableLabel} tabIndex={0} data-testid="span-table">
      <table>
        <thead>
          <tr>
            {[heads.task, heads.what, heads.from, heads.to, heads.took, heads.end, heads.worker, heads.path].map(
              (head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {all.slice(0, most).map(({ row, bar }) => {
            const track = bar.track;
            return (
              <tr
                key={`${row.key} ${bar.span.from} ${bar.span.kind}`}
                className={track && track.task === chosen ? "chosen" : ""}
              >
                <th scope="row">
                  {track ? (
                    <button type="button" className="link" onClick={() => onChoose(track.task)}>
                      {visible(track.title)}
                    </button>
                  ) : (
                    nameOf(row)
                  )}
                </th>
                <Cells span={bar.span} axis={axis} />
                <td>{track?.isCritical ? t.review.yes : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {left > 0 ? (
        <button type="button" className="link" onClick={() => setMost(most + AT_FIRST)}>
          {t.review.tableMore(left)}
        </button>
      ) : null}
      {line.leftOff > 0 ? <p className="xs t3">{t.review.tableMore(line.leftOff)}</p> : null}
    </section>
  );
}

function Cells({ span, axis }: { span: SpanView; axis: Axis }) {
  const [from, to] = [axis.at[span.from - 1] ?? 0, axis.at[span.to - 1] ?? 0];
  const what = [
    t.review.kinds[span.kind],
    span.attempt > 1 ? t.review.attempt(span.attempt) : "",
    span.isSetAside ? t.review.setAside : "",
  ];
  return (
    <>
      <td>{what.filter(Boolean).join(", ")}</td>
      <td className="num">{clock(from)}</td>
      <td className="num">{span.end === "open" ? t.review.now : clock(to)}</td>
      <td className="num">{took(to - from)}</td>
      <td>{[t.review.ends[span.end], span.code ? visible(span.code) : ""].filter(Boolean).join(", ")}</td>
      <td className="num">{span.lane === null ? "" : span.lane + 1}</td>
    </>
  );
}
