// The right side of the approval: summary, the flow of untrusted text, parameters, problems, grants, and the signature.
import { Play, ShieldAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { SchemaForm } from "../../components/values/SchemaForm";
import type { ApprovalView, DraftView, Problem } from "../../ipc/bindings";
import { namesOf } from "../../state/cards";
import { go } from "../../state/route";
import { revealField } from "../../state/selection";
import { t } from "../../text";
import { inside, list, visible } from "../../text/format";
import { Grants } from "./Grants";
import type { useApproval } from "./useApproval";

type Props = {
  view: DraftView;
  approval: ApprovalView;
  state: ReturnType<typeof useApproval>;
  focused: string | null;
  onLight: (tasks: ReadonlySet<string> | null) => void;
};

export function ApprovalPanel({ view, approval, state, focused, onLight }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Focus lands on the text, never on the signature.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const names = namesOf(view);
  const name = (id: string) => visible(names.get(id) ?? id);
  return (
    <div className="approval" data-testid="approval">
      <div className="panel-body approval-body">
        <header className="approval-head">
          <h2 tabIndex={-1} ref={heading}>
            {t.approval.title}
          </h2>
          <span className="tag">{t.approval.nothingYet}</span>
        </header>
        <p className="t2 approval-summary">
          {t.approval.summary(approval.tasks, approval.longestPath.length)}{" "}
          {approval.asks.length > 0 ? t.approval.asks(list(approval.asks.map(name))) : ""}
        </p>
        <Blocks view={view} approval={approval} />
        {approval.untrusted.map((flow) => (
          <div key={`${flow.source}${flow.sink}`} className="taint-card" data-testid="untrusted">
            <ShieldAlert className="icon" size={17} strokeWidth={1.75} aria-hidden="true" />
            <div>
              <b>{t.approval.untrusted(name(flow.sink))}</b>
              <p className="t2">{t.approval.untrustedNote(name(flow.source), Math.max(0, flow.path.length - 2))}</p>
              <p className="xs t3">{flow.path.map(name).join(" → ")}</p>
            </div>
          </div>
        ))}
        {approval.marks.map((mark) => (
          <div key={`${mark.kind}${mark.entry}`} className="warn-card" role="note" data-testid="mark">
            <b>
              {mark.kind === "own_work"
                ? t.approval.ownWork(visible(mark.entry))
                : t.approval.privateTo(visible(mark.entry))}
            </b>
            <p className="t2">{mark.kind === "own_work" ? t.approval.ownWorkNote : t.approval.privateToNote}</p>
          </div>
        ))}
        {approval.flows
          .filter((flow) => flow.accepted)
          .map((flow) => (
            <div key={`${flow.source}${flow.sink}`} className="warn-card" role="note" data-testid="accepted">
              <b>{t.approval.accepted(name(flow.sink))}</b>
              <p className="t2">{flow.path.map(name).join(" → ")}</p>
            </div>
          ))}
        {approval.secrets.map((secret) => (
          <div key={secret.name} className="warn-card" role="note" data-testid="secret">
            <b>{t.approval.secret(visible(secret.name))}</b>
            <p className="t2">{t.approval.secretNote(list(secret.tasks.map(name)))}</p>
          </div>
        ))}
        {state.schema && approval.parameters.length > 0 ? (
          <section aria-label={t.approval.parameters}>
            <SectionHead title={t.approval.parameters} note={t.approval.parametersNote} />
            <SchemaForm
              label={t.approval.parameters}
              schema={state.schema}
              value={state.value}
              onChange={state.setValue}
              faults={state.missing}
            />
          </section>
        ) : null}
        <Grants approval={approval} name={name} focused={focused} onLight={onLight} />
      </div>
      <Foot view={view} state={state} />
    </div>
  );
}

function SectionHead({ title, note }: { title: string; note: string }) {
  return (
    <div className="approval-section">
      <h3>{title}</h3>
      <span className="sm t3">{note}</span>
    </div>
  );
}

/** What stands in the way, each with a way to its place. */
function Blocks({ view, approval }: { view: DraftView; approval: ApprovalView }) {
  const errors = approval.problems.filter((p) => p.severity === "error");
  const warnings = approval.problems.filter((p) => p.severity === "warning");
  const kinds = approval.unsupported.map((k) => inside(t.words.kind[k] ?? k));
  const show = (problem: Problem) => {
    go({ screen: "plan", run: view.run });
    const task =
      view.tasks.find((x) => problem.pointer.startsWith(x.pointer)) ??
      view.tasks.find((x) => x.id === problem.tasks[0]);
    if (task)
      revealField(
        task.id,
        problem.pointer.startsWith(`${task.pointer}/`) ? problem.pointer.slice(task.pointer.length) : "",
      );
  };
  return (
    <>
      {kinds.length > 0 ? (
        <div className="block-card" role="note" data-testid="unsupported">
          <FaultLine text={t.approval.unsupported(list(kinds))} />
          <p className="sm t2">{t.approval.unsupportedNote}</p>
        </div>
      ) : null}
      {errors.length + warnings.length > 0 ? (
        <section
          aria-label={t.approval.problems}
          className={errors.length > 0 ? "block-card" : "warn-card"}
          data-testid="approval-problems"
        >
          <b>{errors.length > 0 ? t.approval.blocked(errors.length) : t.approval.warnings(warnings.length)}</b>
          {[...errors, ...warnings].slice(0, 20).map((problem, ix) => (
            <button type="button" key={ix} className="problem-line" onClick={() => show(problem)}>
              <FaultLine severity={problem.severity} text={visible(problem.message)} />
            </button>
          ))}
        </section>
      ) : null}
    </>
  );
}

function Foot({ view, state }: { view: DraftView; state: ReturnType<typeof useApproval> }) {
  return (
    <footer className="approval-foot">
      {state.fault ? <FaultLine text={state.fault} /> : null}
      {state.missing.size > 0 ? <FaultLine text={`${t.approval.parameters}: ${t.form.missing}`} /> : null}
      <div className="row">
        <Button
          look="primary"
          size="large"
          className="grow"
          disabled={!state.canApprove}
          hint={printKeys("ctrl+enter")}
          icon={<Play className="icon" size={15} strokeWidth={1.75} />}
          onClick={() => void state.approve()}
          data-testid="approve"
        >
          {state.isSigning ? t.approval.approving : t.approval.approve}
        </Button>
        <Button size="large" onClick={() => go({ screen: "plan", run: view.run })} data-testid="edit-plan">
          {t.approval.edit}
        </Button>
        <Button size="large" onClick={() => go({ screen: "plans" })} data-testid="save-for-later">
          {t.approval.later}
        </Button>
      </div>
      <p className="xs t3">{t.approval.foot}</p>
    </footer>
  );
}
