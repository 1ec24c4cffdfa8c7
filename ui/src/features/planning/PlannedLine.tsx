// One line over a plan that came from a goal: by whom, for how much, in how many calls; all of it again at a click.
import { ChevronDown, DraftingCompass } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/controls/controls";
import type { PlanningView, RunRow } from "../../ipc/bindings";
import { shortName } from "../../state/models";
import { planOn } from "../../state/planning";
import { t } from "../../text";
import { list, spentText, visible } from "../../text/format";
import { Calls } from "./Calls";
import { Goal, Happened } from "./Told";

type Props = { run: string; view: PlanningView; row: RunRow | null };

export function PlannedLine({ run, view, row }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const mayGoOn = row?.status === "AWAITING_APPROVAL" && row.revision <= 1;
  return (
    <section className="planned-line" aria-label={t.planning.label} data-testid="planned-line" data-state={view.state}>
      <div className="band">
        <DraftingCompass className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
        <span className="grow">{lineOf(view, row)}</span>
        {mayGoOn && (view.state === "failed" || view.state === "open") ? (
          <Button size="small" onClick={() => void planOn(run)} data-testid="plan-on">
            {view.state === "failed" ? t.planning.tryAgain : t.planning.goOn}
          </Button>
        ) : null}
        <Button
          size="small"
          look="ghost"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          data-testid="planning-details"
        >
          {t.planning.details}
          <ChevronDown className={`icon${isOpen ? " turned" : ""}`} size={13} strokeWidth={1.75} aria-hidden="true" />
        </Button>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <Details view={view} /> : null}
      </div>
    </section>
  );
}

function Details({ view }: { view: PlanningView }) {
  return (
    <div className="planned-details">
      <div className="planning-columns">
        <div className="planning-main">
          {view.error ? <p className="tone-failed sel">{visible(view.error)}</p> : null}
          <Goal text={view.goal} />
          {view.notes.length > 0 ? (
            <section aria-label={t.planning.notes}>
              <h3 className="heading planning-heading">{t.planning.notes}</h3>
              <ul className="planning-notes">
                {view.notes.map((note) => (
                  <li key={note} className="sel">
                    {visible(note)}
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
          <Calls calls={view.calls} isGoing={false} />
        </div>
        <Happened />
      </div>
    </div>
  );
}

function lineOf(view: PlanningView, row: RunRow | null): string {
  const calls = t.planning.lineCalls(view.calls.length);
  const models = list([...new Set(view.calls.map((call) => visible(shortName(call.model))))]);
  const parts = [headOf(view, models)];
  // Of a run that goes on, the rest of what it cost is not the planner's.
  if (row?.status === "AWAITING_APPROVAL" && view.calls.length > 0) parts.push(spentText(row.spent));
  parts.push(calls);
  return parts.join(", ");
}

function headOf(view: PlanningView, models: string): string {
  if (view.state === "failed") return t.planning.lineNoPlan;
  if (view.state === "open" || view.state === "stopped") return t.planning.lineStopped;
  const by = t.planning.lineBy(models);
  return view.state === "unmended" ? `${by}, ${t.planning.lineUnmended}` : by;
}
