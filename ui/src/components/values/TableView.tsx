// Rows of a value as a table, 50 at a time.
import { useState } from "react";
import { isNumber, isObject, type Json, type JsonObject, print } from "../../ipc/json";
import { t } from "../../text";
import { Button } from "../controls/controls";
import { scalarText } from "./ValueView";

export type Table = { columns: string[]; rows: JsonObject[] };

const STEP = 50;
const MOST_COLUMNS = 24;

/** A list of flat objects, or `{columns, rows}` as the tools give it; null for any other value. */
export function asTable(value: Json): Table | null {
  if (Array.isArray(value)) return tableOf(value, null);
  if (!isObject(value) || !Array.isArray(value.rows)) return null;
  const columns = Array.isArray(value.columns) ? value.columns.filter((c) => typeof c === "string") : null;
  return Object.keys(value).every((key) => key === "rows" || key === "columns") ? tableOf(value.rows, columns) : null;
}

function tableOf(items: Json[], named: string[] | null): Table | null {
  if (items.length === 0 || !items.every(isFlat)) return null;
  const columns = named ?? [...new Set(items.slice(0, 200).flatMap((row) => Object.keys(row)))];
  return columns.length > 0 && columns.length <= MOST_COLUMNS ? { columns, rows: items } : null;
}

function isFlat(item: Json): item is JsonObject {
  return isObject(item) && Object.values(item).every((cell) => !isObject(cell) && !Array.isArray(cell));
}

export function TableView({ table, label }: { table: Table; label: string }) {
  const [shown, setShown] = useState(STEP);
  const left = table.rows.length - shown;
  return (
    <section className="value-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col" className={isNumeric(table, column) ? "num align-right" : ""}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, shown).map((row, ix) => (
            <tr key={ix}>
              {table.columns.map((column) => (
                <Cell key={column} value={row[column]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 ? (
        <Button size="small" look="ghost" onClick={() => setShown(shown + STEP)}>
          {t.values.moreRows(Math.min(STEP, left), table.rows.length)}
        </Button>
      ) : null}
    </section>
  );
}

function isNumeric(table: Table, column: string): boolean {
  return isNumber(table.rows[0]?.[column]);
}

function Cell({ value }: { value: Json | undefined }) {
  if (value === undefined) return <td className="t3">–</td>;
  const text = typeof value === "object" && value !== null && !isNumber(value) ? print(value) : scalarText(value);
  return (
    <td className={isNumber(value) ? "num align-right sel" : "sel"} title={text.length > 40 ? text : undefined}>
      {text}
    </td>
  );
}
