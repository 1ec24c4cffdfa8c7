// Every other value that differs, by its place in the outputs: what it is in A and in B, as it was written.
import { useEffect, useRef } from "react";
import type { OutputDiff, ShownValue, ValueDiff } from "../../ipc/bindings";
import { t } from "../../text";
import { bytes, visible } from "../../text/format";
import { partsOf, placesOf } from "./places";
import { useCompare } from "./store";
import { placeText } from "./words";

export function Values({ output }: { output: OutputDiff }) {
  const here = useCompare((s) => {
    const place = s.output ? placesOf(s.output)[s.place] : undefined;
    return place && "value" in place ? place.value : null;
  });
  if (output.values.length === 0) return null;
  return (
    <section className="compare-values">
      <table className="sm" data-testid="compare-values">
        <caption className="vh">{t.compare.values}</caption>
        <thead>
          <tr>
            <th scope="col">{t.compare.columns.place}</th>
            <th scope="col">{t.compare.columns.a}</th>
            <th scope="col">{t.compare.columns.b}</th>
          </tr>
        </thead>
        <tbody>
          {output.values.map((value, ix) => (
            <Value key={ix} value={value} isHere={here === ix} />
          ))}
        </tbody>
      </table>
      <p className="compare-said xs t3">
        {[
          output.valuesLeftOff > 0 ? t.compare.moreValues(output.valuesLeftOff) : "",
          t.compare.equalValues(output.equalValues),
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </section>
  );
}

function Value({ value, isHere }: { value: ValueDiff; isHere: boolean }) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isHere) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [isHere]);
  return (
    <tr ref={row} className={isHere ? "here" : ""}>
      <th scope="row" className="mono t2">
        {placeText(value.at)}
      </th>
      <Cell own={value.a} other={value.b} look="only-a" />
      <Cell own={value.b} other={value.a} look="only-b" />
    </tr>
  );
}

function Cell({ own, other, look }: { own: ShownValue | null; other: ShownValue | null; look: string }) {
  if (own === null) return <td className="none t3">{t.compare.nothing}</td>;
  const [before, mark, after] = partsOf(own.json, other?.json ?? null);
  return (
    <td className={`mono ${look}`}>
      {visible(before)}
      {mark === "" ? null : other === null ? visible(mark) : <mark>{visible(mark)}</mark>}
      {visible(after)}
      {own.leftOut > 0 ? <span className="t3"> {t.compare.cutBytes(bytes(own.leftOut))}</span> : null}
    </td>
  );
}
