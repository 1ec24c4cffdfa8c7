// Fields with what stood there and what stands there now. Long texts are told line by line.
import type { FieldDiff } from "../../../ipc/bindings";
import { tryParse } from "../../../ipc/json";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { type Line, linesOf } from "./changes";

const MOST_LINES = 200;
const MARKS = { same: " ", before: "−", after: "+" } as const;
const LABELS = { same: "", before: t.versions.before, after: t.versions.after } as const;

export function FieldChanges({ fields }: { fields: readonly FieldDiff[] }) {
  if (fields.length === 0) return null;
  return (
    <dl className="diff-fields">
      {fields.map((field) => (
        <div key={field.pointer}>
          <dt className="xs t3 mono">{visible(t.versions.field(field.pointer))}</dt>
          <dd>
            <Lines lines={linesOf(textOf(field.before), textOf(field.after))} field={field} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Lines({ lines, field }: { lines: readonly Line[]; field: FieldDiff }) {
  const kept = lines.filter((line) => !isAbsent(line, field)).slice(0, MOST_LINES);
  return (
    <div className="diff-lines mono">
      {kept.map((line, ix) => (
        <div key={ix} className={line.mark}>
          <span className="sign" title={LABELS[line.mark]}>
            {MARKS[line.mark]}
          </span>
          <span className="line">{visible(line.text) || " "}</span>
        </div>
      ))}
      {lines.length > kept.length && lines.length > MOST_LINES ? (
        <div>{t.canvas.more(lines.length - MOST_LINES)}</div>
      ) : null}
    </div>
  );
}

/** A value that is not there has no line of its own. */
function isAbsent(line: Line, field: FieldDiff): boolean {
  return (line.mark === "before" && field.before === null) || (line.mark === "after" && field.after === null);
}

/** Text as it is read; any other value as JSON. */
function textOf(json: string | null): string {
  if (json === null) return "";
  const value = tryParse(json);
  return typeof value === "string" ? value : json;
}
