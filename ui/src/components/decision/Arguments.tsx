// The arguments of a call as they would be sent, with each part that came from outside marked where it stands.

import type { PartView, ProvenanceView } from "../../ipc/bindings";
import { isNumber, isObject, type Json, step, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";
import { scalarText } from "../values/ValueView";

/** Deeper and longer than this, the whole of it is at hand as text. */
const DEEPEST = 8;
const MOST = 200;

type Marks = ReadonlyMap<string, PartView>;

function marksOf(told: ProvenanceView | null): Marks {
  const outside = told?.parts.filter((part) => part.isUntrusted) ?? [];
  return new Map(outside.map((part) => [part.at, part]));
}

export function Arguments({ json, told }: { json: string; told: ProvenanceView | null }) {
  const value = tryParse(json);
  const marks = marksOf(told);
  if (value === undefined) return <pre className="value-text sel">{visible(json)}</pre>;
  return (
    <section className="arguments" aria-label={t.inbox.arguments} data-testid="arguments">
      <Value value={value} at="" marks={marks} depth={0} />
      {marks.size > 0 ? (
        <p className="xs t3 arguments-key">
          <mark className="outside" aria-hidden="true">
            {" "}
          </mark>
          {t.inbox.passages(marks.size)}
        </p>
      ) : null}
    </section>
  );
}

type Props = { value: Json; at: string; marks: Marks; depth: number };

function Value(props: Props) {
  const part = props.marks.get(props.at);
  if (!part) return <Plain {...props} />;
  return (
    <mark className="outside" title={t.inbox.cameFrom(visible(part.from))} data-testid={`outside-${props.at}`}>
      <span className="vh">{t.inbox.cameFrom(visible(part.from))}: </span>
      <Plain {...props} />
    </mark>
  );
}

function Plain({ value, at, marks, depth }: Props) {
  if (!isObject(value) && !Array.isArray(value))
    return (
      <span className={`sel argument-text${isNumber(value) ? " num" : ""}`} dir="auto">
        {scalarText(value)}
      </span>
    );
  const entries: [string, Json][] = Array.isArray(value)
    ? value.map((item, ix) => [String(ix), item])
    : Object.entries(value);
  if (entries.length === 0) return <span className="t3">{t.values.empty}</span>;
  if (depth >= DEEPEST) return <span className="t3">…</span>;
  return (
    <dl className="argument-fields">
      {entries.slice(0, MOST).map(([name, inner]) => (
        <div key={name}>
          <dt className="mono t3">{visible(name)}</dt>
          <dd>
            <Value value={inner} at={at + step(name)} marks={marks} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {entries.length > MOST ? <div className="t3">{t.canvas.more(entries.length - MOST)}</div> : null}
    </dl>
  );
}
