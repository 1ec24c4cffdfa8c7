// A JSON value for people: rows as a table, text as text, the rest as a tree; raw JSON at a click. Numbers keep their digits.
import { useMemo, useState } from "react";
import { isNumber, isObject, type Json, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";
import { asTable, TableView } from "./TableView";
import { TreeView } from "./TreeView";

export function ValueView({ json, label }: { json: string; label: string }) {
  const value = useMemo(() => tryParse(json), [json]);
  const [raw, setRaw] = useState(false);
  if (value === undefined) return <pre className="value-text sel">{json}</pre>;
  const isScalar = !isObject(value) && !Array.isArray(value);
  return (
    <div className="value" data-testid="value">
      {raw ? <pre className="value-text mono sel">{print(value, 2)}</pre> : <Shape value={value} label={label} />}
      {isScalar && !raw ? null : (
        <button type="button" className="link sm" onClick={() => setRaw(!raw)}>
          {raw ? t.values.showShaped : t.values.showRaw}
        </button>
      )}
    </div>
  );
}

function Shape({ value, label }: { value: Json; label: string }) {
  if (typeof value === "string")
    return (
      <pre className="value-text sel" dir="auto">
        {visible(value)}
      </pre>
    );
  const table = asTable(value);
  if (table) return <TableView table={table} label={label} />;
  const sections = asSections(value);
  if (sections) return <Sections sections={sections} />;
  if (isObject(value) || Array.isArray(value)) return <TreeView value={value} label={label} />;
  return <div className="value-scalar mono sel">{scalarText(value)}</div>;
}

const MOST_SECTIONS = 6;

/** An object of tables, with scalars beside them at most; null for any other value. */
function asSections(value: Json): [string, Json][] | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const isTable = (inner: Json) => asTable(inner) !== null;
  const isScalar = (inner: Json) => !isObject(inner) && !Array.isArray(inner);
  const fits = entries.length <= MOST_SECTIONS && entries.some(([, v]) => isTable(v));
  return fits && entries.every(([, v]) => isTable(v) || isScalar(v)) ? entries : null;
}

function Sections({ sections }: { sections: [string, Json][] }) {
  return sections.map(([name, value]) => (
    <div key={name} className="value-section">
      <h4 className="mono t2">{name}</h4>
      <Shape value={value} label={name} />
    </div>
  ));
}

/** One line for a scalar. */
export function scalarText(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "string") return visible(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return isNumber(value) ? value.toString() : print(value);
}
