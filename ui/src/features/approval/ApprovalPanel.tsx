// The right side of the approval: summary, the flow of untrusted text, parameters, problems, grants, and the signature.
import { Play, ShieldAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { SchemaForm } from "../../components/values/SchemaForm";
import type { ApprovalView, DraftView, Problem } from "../../ipc/bindings";
import { namesOf } from "../../state/cards";
import { stopChange } from "../../state/proposal";
import { go } from "../../state/route";
import { revealField } from "../../state/selection";
import { t } from "../../text";
import { inside, list, visible } from "../../text/format";
import { Asked } from "./Asked";
import { EstimateHead } from "./EstimateHead";
import { Flow, showFlow } from "./Flow";
import { Grants } from "./Grants";
import { Held } from "./Held";
import { LeftOut } from "./LeftOut";
import { SinceLast } from "./SinceLast";
import type { useApproval } from "./useApproval";
import { flowKey } from "./useChoices";

type Props = {
  view: DraftView;
  approval: ApprovalView;
  state: ReturnType<typeof useApproval>;
  focused: string | null;
  /** Brings the grants of the focused task into view. */
  follows?: boolean;
  onLight: (tasks: ReadonlySet<string> | null) => void;
};

export function ApprovalPanel({ view, approval, state, focused, follows = false, onLight }: Props) {
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
        <EstimateHead
          approval={state.left ?? approval}
          without={approval.tasks - (state.left ?? approval).tasks}
          name={name}
        />
        <Blocks view={view} approval={approval} />
        <Held view={view} />
        <SinceLast approval={approval} name={name} />
        {state.choices.ways.map((flow) => (
          <Flow key={flowKey(flow)} flow={flow} choices={state.choices} name={name} />
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
        <Asked approval={approval} name={name} onLight={onLight} />
        <Grants
          approval={approval}
          choices={state.choices}
          name={name}
          focused={focused}
          follows={follows}
          onLight={onLight}
        />
      </div>
      <Foot view={view} state={state} name={name} />
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

type FootProps = Pick<Props, "view" | "state"> & { name: (id: string) => string };

function Foot({ view, state, name }: FootProps) {
  return (
    <footer className="approval-foot">
      <LeftOut choices={state.choices} name={name} />
      {state.fault ? <FaultLine text={state.fault} /> : null}
      {state.missing.size > 0 ? <FaultLine text={`${t.approval.parameters}: ${t.form.missing}`} /> : null}
      <WhyOff state={state} name={name} />
      <div className="row">
        {/* Off, it can still be reached, so that its reason is read. */}
        <Button
          look="primary"
          size="large"
          className="grow"
          aria-disabled={!state.canApprove}
          aria-describedby={WHY_OFF}
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

const WHY_OFF = "approve-why";

/** Why nothing can be signed yet, with the way to what settles it. */
function WhyOff({ state, name }: Omit<FootProps, "view">) {
  const [flow] = state.choices.open;
  const { approval, errors } = state;
  const hasUnsupported = (approval?.unsupported.length ?? 0) > 0;
  const text = errors > 0 ? t.approval.blocked(errors) : hasUnsupported ? t.approval.cannotRun : null;
  return (
    <div id={WHY_OFF} className="why-off" role="status" data-testid="why-off">
      {text ? (
        <FaultLine severity="warning" text={text} />
      ) : state.isBeingAsked ? (
        <Way text={t.approval.beingAsked} act={t.proposal.stop} onAct={() => void stopChange()} testId="stop-asking" />
      ) : flow ? (
        <Way
          text={t.approval.chooseFirst(name(flow.sink), state.choices.open.length)}
          act={t.approval.toChoice}
          onAct={() => showFlow(flowKey(flow))}
          testId="to-choice"
        />
      ) : null}
    </div>
  );
}

function Way({ text, act, onAct, testId }: { text: string; act: string; onAct: () => void; testId: string }) {
  return (
    <>
      <ShieldAlert className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span>{text}</span>
      <button type="button" className="link" onClick={onAct} data-testid={testId}>
        {act}
      </button>
    </>
  );
}
