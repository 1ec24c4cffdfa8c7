// A planning on show: the goal, what it took so far, who was asked what, what a person can do now.
import { Hand, LoaderCircle, OctagonX, Pause, Square } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { DecisionCard } from "../../components/decision/DecisionCard";
import { Elapsed } from "../../components/marks/time";
import type { PlanningView } from "../../ipc/bindings";
import { answerPlanner, editByHand, leavePlanning, type Phase, planOn, usePlanning } from "../../state/planning";
import { t } from "../../text";
import { cents, spentText, whole } from "../../text/format";
import { Calls } from "./Calls";
import { Sketch } from "./Sketch";
import { Goal, Happened } from "./Told";

type Live = Exclude<Phase, "none" | "over">;
type Props = { run: string; phase: Live; view: PlanningView; since: number | null };

export function PlanningLive({ run, phase, view, since }: Props) {
  const decisions = usePlanning((s) => s.decisions);
  const fault = usePlanning((s) => s.fault);
  return (
    <div className="screen planning" data-testid="planning" data-phase={phase}>
      <div className="planning-columns">
        <div className="planning-main">
          <Head run={run} phase={phase} since={since} />
          {fault ? <FaultLine text={fault.message} /> : null}
          {phase === "failed" ? <Stopped run={run} why={view.error} /> : null}
          {phase === "left" ? <Stopped run={run} why={null} /> : null}
          {phase === "asks"
            ? decisions.map((decision, ix) => (
                <DecisionCard
                  key={decision.id}
                  decision={decision}
                  where={null}
                  isFocused={ix === 0}
                  sendLabel={t.planning.answer}
                  onAnswer={(given) => answerPlanner(decision, given)}
                />
              ))
            : null}
          <Goal text={view.goal} />
          {phase === "going" ? <Sketch run={run} /> : null}
          <Calls calls={view.calls} isGoing={phase === "going"} />
        </div>
        <Happened />
      </div>
    </div>
  );
}

const ICON = { going: LoaderCircle, asks: Hand, left: Pause, failed: OctagonX } as const;
const TONE: Record<Live, string> = { going: "running spin", asks: "waiting", left: "idle", failed: "failed" };

function Head({ run, phase, since }: Pick<Props, "run" | "phase" | "since">) {
  const title = useRef<HTMLHeadingElement>(null);
  // The button that led here is gone; a keyboard goes on from the top of this screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each phase takes its buttons with it
  useEffect(() => {
    const at = document.activeElement;
    if (at === document.body || at?.matches(".main")) title.current?.focus();
  }, [phase]);
  const Icon = ICON[phase];
  return (
    <header className="planning-head">
      <Icon className={`icon tone-${TONE[phase]}`} size={22} strokeWidth={1.75} aria-hidden="true" />
      <div className="grow">
        <h2 ref={title} tabIndex={-1} aria-live="polite">
          {t.planning.title[phase]}
        </h2>
        <Spent since={phase === "going" ? since : null} />
      </div>
      {phase === "going" ? (
        <Button
          icon={<Square className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => void leavePlanning(run)}
          title={t.planning.cancelNote}
          data-testid="leave-planning"
        >
          {t.planning.cancel}
        </Button>
      ) : null}
      {phase === "asks" ? <ByHand run={run} /> : null}
    </header>
  );
}

/** What it took so far; what nobody knows is not made up. */
function Spent({ since }: { since: number | null }) {
  const row = usePlanning((s) => s.row);
  const calls = usePlanning((s) => s.view?.calls.length ?? 0);
  if (!row) return null;
  const { spent, budget } = row;
  const isAsked = spent.zero + spent.estimated + spent.unknown > 0;
  const [input, output] = [spent.inputTokens ?? 0, spent.outputTokens ?? 0];
  return (
    <dl className="planning-spent sm" data-testid="planning-spent">
      {since === null ? null : (
        <Fact term={t.planning.elapsed}>
          <Elapsed since={since} />
        </Fact>
      )}
      <Fact term={t.planning.cost}>
        <span className="num">{isAsked ? spentText(spent) : "–"}</span>
        {budget.usd ? ` ${t.planning.capOf(`$${cents(budget.usd)}`)}` : ""}
      </Fact>
      <Fact term={t.planning.tokens}>
        <span className="num">{input + output > 0 ? t.planning.tokensOf(whole(input), whole(output)) : "–"}</span>
      </Fact>
      <Fact term={t.planning.calls}>
        <span className="num">{calls}</span>
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="t3">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** No plan yet and nobody at it: why, what was kept, what to do next. */
function Stopped({ run, why }: { run: string; why: string | null }) {
  const isFailed = why !== null;
  return (
    <section className={`planning-stop${isFailed ? " failed" : ""}`} data-testid="planning-stop">
      <dl className="facts">
        {isFailed ? (
          <>
            <dt>{t.planning.why}</dt>
            <dd data-testid="planning-error">{why}</dd>
          </>
        ) : null}
        <dt>{t.planning.kept}</dt>
        <dd>{isFailed ? t.planning.failedKept : t.planning.left}</dd>
        <dt>{t.planning.next}</dt>
        <dd>{isFailed ? t.planning.failedNext : t.planning.leftNext}</dd>
      </dl>
      <div className="row">
        <Button look="primary" onClick={() => void planOn(run)} data-testid="plan-on">
          {isFailed ? t.planning.tryAgain : t.planning.goOn}
        </Button>
        <ByHand run={run} />
      </div>
    </section>
  );
}

function ByHand({ run }: { run: string }) {
  return (
    <Button onClick={() => editByHand(run)} data-testid="edit-by-hand">
      {t.planning.byHand}
    </Button>
  );
}
