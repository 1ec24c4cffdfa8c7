// Objects and lists that open and close; long lists show their first hundred.
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { isNumber, isObject, type Json, type JsonObject } from "../../ipc/json";
import { t } from "../../text";
import { scalarText } from "./ValueView";

const FIRST = 100;

export function TreeView({ value, label }: { value: Json; label: string }) {
  return (
    <section className="value-tree mono" aria-label={label}>
      <Children value={value} depth={0} />
    </section>
  );
}

function Children({ value, depth }: { value: Json; depth: number }) {
  const [all, setAll] = useState(false);
  const entries = entriesOf(value);
  if (entries.length === 0) return <div className="t3">{t.values.empty}</div>;
  const shown = all ? entries : entries.slice(0, FIRST);
  const isFlat = entries.every(([, child]) => !isBranchy(child));
  return (
    <ul className={isFlat ? "flat" : undefined}>
      {shown.map(([key, child]) => (
        <Entry key={key} name={key} value={child} depth={depth} />
      ))}
      {shown.length < entries.length ? (
        <li>
          <button type="button" className="link" onClick={() => setAll(true)}>
            {t.values.showAll(entries.length)}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

function entriesOf(value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.map((item, ix) => [String(ix), item]);
  return isObject(value) ? Object.entries(value) : [];
}

function Entry({ name, value, depth }: { name: string; value: Json; depth: number }) {
  const [open, setOpen] = useState(depth < 2);
  if (!isBranchy(value)) return <Leaf name={name} value={value} />;
  const size = Array.isArray(value) ? t.values.items(value.length) : t.values.fields(Object.keys(value).length);
  return (
    <li>
      <button type="button" className="tree-branch" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={`icon chevron${open ? " open" : ""}`} size={12} aria-hidden="true" />
        <span className="tree-name">{name}</span>
        <span className="t3">{size}</span>
      </button>
      {open ? <Children value={value} depth={depth + 1} /> : null}
    </li>
  );
}

function isBranchy(value: Json): value is JsonObject | Json[] {
  return isObject(value) || Array.isArray(value);
}

function Leaf({ name, value }: { name: string; value: Json }) {
  const tone = typeof value === "string" ? "text" : isNumber(value) ? "number" : "word";
  return (
    <li className="tree-leaf">
      <span className="tree-name">{name}</span>
      <span className={`tree-value ${tone} sel`} dir="ltr">
        {scalarText(value)}
      </span>
    </li>
  );
}
