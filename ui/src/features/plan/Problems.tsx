// What is wrong with the plan, as the engine found it. A row leads to its place; its button is the quick fix.
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { Button } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { DraftView, Problem, QuickFix } from "../../ipc/bindings";
import { edit } from "../../state/draft";
import { hold } from "../../state/laid";
import { useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { ProblemsHead } from "./ProblemsHead";
import { showAllProblems, shownProblems, useProblemFilter } from "./problemFilter";
import { problemAt, problemToFix, showProblem, stepped, useSeenProblem } from "./problemSteps";

const MOST = 200;

export const Problems = memo(function Problems({ view }: { view: DraftView }) {
  const chosen = useSelection((s) => s.tasks[0]);
  const filter = useProblemFilter();
  const shown = shownProblems(view, filter, chosen);
  const seen = useSeenProblem((s) => s.seen);
  const here = shown[problemAt(view, shown, chosen, seen)];
  const toFix = problemToFix(view, chosen, seen);
  return (
    <section className="problems" aria-label={t.plan.problems} data-testid="problems">
      <ProblemsHead view={view} chosen={chosen} />
      {view.problems.length === 0 ? (
        <p className="problems-none sm t3">
          <CircleCheck className="icon tone-completed" size={14} strokeWidth={1.75} aria-hidden="true" />
          {t.plan.noProblems}
        </p>
      ) : null}
      <ul>
        {shown.slice(0, MOST).map((problem, ix) => (
          <Row
            key={`${problem.code}${problem.pointer}${ix}`}
            problem={problem}
            view={view}
            isChosen={problem === here}
            hasKey={problem === toFix && (here === undefined || here === toFix)}
          />
        ))}
      </ul>
      {shown.length > MOST ? (
        <p className="problems-none sm t3">{t.plan.problemFilter.more(shown.length - MOST)}</p>
      ) : null}
      {shown.length < view.problems.length ? (
        <p className="problems-none sm t3">
          <span className="grow">{t.plan.problemFilter.shown(shown.length, view.problems.length)}</span>
          <Button size="small" look="ghost" onClick={showAllProblems} data-testid="problems-all">
            {t.plan.problemFilter.all}
          </Button>
        </p>
      ) : null}
    </section>
  );
});

type RowProps = { problem: Problem; view: DraftView; isChosen: boolean; hasKey: boolean };

function Row({ problem, view, isChosen, hasKey }: RowProps) {
  const Icon = problem.severity === "error" ? CircleAlert : TriangleAlert;
  const { fix } = problem;
  return (
    <li
      className={`problem${isChosen ? " chosen" : ""}`}
      data-testid={`problem-${problem.code}`}
      data-code={problem.code}
    >
      <Icon
        className={`icon ${problem.severity === "error" ? "tone-failed" : "tone-retrying"}`}
        size={15}
        strokeWidth={1.75}
        aria-hidden="true"
      />
      <div className="grow">
        <button type="button" className="problem-text" onClick={() => showProblem(problem, view)}>
          <b className="el">{visible(whereOf(problem, view))}</b>
          <span className="sm t2">{visible(problem.message)}</span>
        </button>
        {fix ? (
          <div className="row problem-fix">
            <Button size="small" onClick={() => mend(fix)} data-testid={`fix-${problem.code}`}>
              {fix.unpins ? t.holds.acts.unpin : visible(fix.label)}
            </Button>
            {hasKey ? <kbd>{printKeys("ctrl+.")}</kbd> : null}
          </div>
        ) : null}
      </div>
    </li>
  );
}

function whereOf(problem: Problem, view: DraftView): string {
  const names = problem.tasks
    .slice(0, problem.code === "cycle" ? 2 : 1)
    .map((id) => view.tasks.find((task) => task.id === id)?.title || id);
  return names.length > 0 ? names.join(", ") : t.plan.problemOfPlan;
}

/** The problem after (or before) the one that was looked at last, of those on show. */
export function stepProblem(view: DraftView, by: 1 | -1): void {
  const chosen = useSelection.getState().tasks[0];
  const shown = shownProblems(view, useProblemFilter.getState(), chosen);
  const next = stepped(view, shown, chosen, by);
  if (next) showProblem(next, view);
}

/** Does what the button of a problem says. */
function mend(fix: QuickFix): void {
  if (fix.unpins) void hold(fix.unpins, null);
  else void edit(fix.edits);
}

/** The problem that is looked at; where none is, the first of the chosen task that can be mended so. */
export function fixChosen(view: DraftView): void {
  const problem = problemToFix(view, useSelection.getState().tasks[0], useSeenProblem.getState().seen);
  if (problem?.fix) mend(problem.fix);
}
