// The head of the problems: how many of each severity there are, each a switch that shows only those, and a field for words
// where there are many.
import { CircleAlert, Crosshair, Search, TriangleAlert } from "lucide-react";
import type { DraftView } from "../../ipc/bindings";
import { t } from "../../text";
import { filterBy, type Severity, useProblemFilter } from "./problemFilter";

const MANY = 5;

export function ProblemsHead({ view, chosen }: { view: DraftView; chosen: string | undefined }) {
  const filter = useProblemFilter();
  const errors = view.problems.filter((p) => p.severity === "error").length;
  const warnings = view.problems.length - errors;
  const isMany = view.problems.length > MANY || filter.text !== "";
  return (
    <>
      <div className="problems-head">
        <h3 className="heading grow">{t.plan.problems}</h3>
        {chosen !== undefined && (view.problems.length > 1 || filter.ofChosen) ? (
          <button
            type="button"
            className="problems-only"
            aria-pressed={filter.ofChosen}
            aria-label={t.plan.problemFilter.ofChosen}
            title={t.plan.problemFilter.ofChosen}
            onClick={() => filterBy({ ofChosen: !filter.ofChosen })}
            data-testid="problems-of-chosen"
          >
            <Crosshair className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
          </button>
        ) : null}
        <Only severity="error" count={errors} label={t.plan.problemFilter.errors(errors)} />
        <Only severity="warning" count={warnings} label={t.plan.problemFilter.warnings(warnings)} />
      </div>
      {isMany ? (
        <label className="field problems-find">
          <Search className="icon t3" size={13} strokeWidth={1.75} aria-hidden="true" />
          <input
            value={filter.text}
            placeholder={t.plan.problemFilter.find}
            aria-label={t.plan.problemFilter.find}
            onChange={(event) => filterBy({ text: event.target.value })}
            data-testid="problems-find"
          />
        </label>
      ) : null}
    </>
  );
}

function Only({ severity, count, label }: { severity: Severity; count: number; label: string }) {
  const isOn = useProblemFilter((s) => s.severity === severity);
  if (count === 0 && !isOn) return null;
  const Icon = severity === "error" ? CircleAlert : TriangleAlert;
  return (
    <button
      type="button"
      className={`problems-only num ${severity === "error" ? "tone-failed" : "tone-retrying"}`}
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      onClick={() => filterBy({ severity: isOn ? null : severity })}
      data-testid={`problems-${severity}`}
    >
      <Icon className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
      {count}
    </button>
  );
}
