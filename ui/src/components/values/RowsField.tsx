// A list of objects as a table to fill in: one row each, columns from the schema of the items.
import { Minus, Plus } from "lucide-react";
import { type Json, type JsonObject, objectOf, print } from "../../ipc/json";
import { t } from "../../text";
import { Button, IconButton, Segments } from "../controls/controls";
import { NumberField, TextField } from "./fields";
import { defaultOf, fieldKind, titleOf } from "./schema";

type Props = {
  title: string;
  schema: JsonObject;
  value: Json | undefined;
  onChange: (value: Json) => void;
  disabled?: boolean;
};

export function RowsField({ title, schema, value, onChange, disabled }: Props) {
  const items = objectOf(schema.items);
  const columns = Object.entries(objectOf(items.properties));
  const rows = (Array.isArray(value) ? value : []).map(objectOf);
  const set = (ix: number, name: string, next: Json | undefined) =>
    onChange(rows.map((row, at) => (at === ix ? withField(row, name, next) : row)));
  return (
    <div className="form-rows">
      <table aria-label={title}>
        <thead>
          <tr>
            {columns.map(([name, column]) => (
              <th key={name} scope="col">
                {titleOf(objectOf(column), name)}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row, ix) => (
            <tr key={ix}>
              {columns.map(([name, column]) => (
                <td key={name}>
                  <Cell
                    label={`${name} ${ix + 1}`}
                    schema={objectOf(column)}
                    value={row[name]}
                    onChange={(v) => set(ix, name, v)}
                    disabled={disabled}
                  />
                </td>
              ))}
              <td>
                <IconButton
                  label={t.form.removeItem(ix + 1)}
                  icon={<Minus size={14} />}
                  size="small"
                  disabled={disabled}
                  onClick={() => onChange(rows.filter((_, at) => at !== ix))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button
        size="small"
        icon={<Plus size={13} />}
        disabled={disabled}
        onClick={() => onChange([...rows, objectOf(defaultOf(items))])}
      >
        {t.form.addItem}
      </Button>
    </div>
  );
}

function withField(row: JsonObject, name: string, next: Json | undefined): JsonObject {
  const copy = { ...row };
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy;
}

type CellProps = {
  label: string;
  schema: JsonObject;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  disabled?: boolean;
};

function Cell({ label, schema, value, onChange, disabled }: CellProps) {
  const kind = fieldKind(schema);
  if (schema.readOnly === true)
    return <span className="sel">{value === undefined ? "" : typeof value === "string" ? value : print(value)}</span>;
  if (kind === "boolean") {
    return (
      <Segments
        label={label}
        choices={[
          { value: "true", label: t.form.yes },
          { value: "false", label: t.form.no },
        ]}
        value={value === true ? "true" : value === false ? "false" : null}
        onChange={(word) => onChange(word === "true")}
      />
    );
  }
  if (kind === "choice" && Array.isArray(schema.enum)) {
    const words = schema.enum.map((v) => (typeof v === "string" ? v : print(v)));
    return (
      <Segments
        label={label}
        choices={words.map((w) => ({ value: w, label: w }))}
        value={typeof value === "string" ? value : null}
        onChange={onChange}
      />
    );
  }
  const Field = kind === "number" ? NumberField : TextField;
  return <Field label={label} value={value} onChange={onChange} disabled={disabled} />;
}
