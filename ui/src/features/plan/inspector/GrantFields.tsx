// What the plan may touch beyond what its arguments name, by kind; and what it may spend.
import { AccessIcon } from "../../../components/marks/marks";
import { NUMBER } from "../../../components/values/schema";
import type { Access } from "../../../ipc/bindings";
import { type Json, type JsonObject, number, objectOf, print, textOf } from "../../../ipc/json";
import { t } from "../../../text";
import { Entries } from "./Entries";
import { useTyped } from "./useTyped";

const KINDS: readonly { field: string; access: Access }[] = [
  { field: "read", access: "read" },
  { field: "write", access: "write" },
  { field: "hosts", access: "host" },
  { field: "databases", access: "database" },
  { field: "commands", access: "command" },
  { field: "mcp", access: "mcp" },
];

type Props = {
  value: Json | undefined;
  isLocked: boolean;
  onSend: (field: string, value: Json | undefined) => unknown;
};

export function GrantFields({ value, isLocked, onSend }: Props) {
  const grants = objectOf(value);
  return (
    <div className="grant-fields" data-testid="grant-fields">
      {KINDS.map(({ field, access }) => {
        const list = Array.isArray(grants[field]) ? grants[field].map(textOf) : [];
        if (isLocked && list.length === 0) return null;
        return (
          <div className="grant-field" key={field}>
            <span className="grant-word">
              <AccessIcon access={access} />
              {t.words.access[access]}
            </span>
            <Entries
              label={t.words.access[access]}
              values={list}
              hint={t.inspector.grantHints[access]}
              isLocked={isLocked}
              onSend={(next) => onSend(`/grants/${field}`, next.length > 0 ? next : undefined)}
              testId={`grants-${field}`}
            />
          </div>
        );
      })}
    </div>
  );
}

export function BudgetFields({ value, isLocked, onSend }: Props) {
  const budget: JsonObject = objectOf(value);
  return (
    <div className="inspector-pairs" data-testid="budget-fields">
      {(["usd", "tokens", "seconds"] as const).map((field) => (
        <Cap
          key={field}
          label={t.inspector.budgetFields[field]}
          value={budget[field] === undefined ? "" : textOf(budget[field]) || print(budget[field] ?? null)}
          isLocked={isLocked}
          onSend={(text) =>
            onSend(`/budget/${field}`, text === "" ? undefined : NUMBER.test(text) ? number(text) : text)
          }
        />
      ))}
    </div>
  );
}

type CapProps = { label: string; value: string; isLocked: boolean; onSend: (text: string) => unknown };

function Cap({ label, value, isLocked, onSend }: CapProps) {
  const typed = useTyped(value, (text) => onSend(text.trim()));
  return (
    <>
      <span>{label}</span>
      <input
        className="field num"
        inputMode="decimal"
        aria-label={label}
        placeholder={t.inspector.noCap}
        readOnly={isLocked}
        value={typed.text}
        onChange={(event) => typed.type(event.target.value)}
        onBlur={typed.flush}
        onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && typed.flush()}
      />
    </>
  );
}
