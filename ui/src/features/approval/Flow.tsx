// One way of outside text to something that acts, with the choice about it: asked each time, or let go. Neither is chosen before
// a person does it.
import { ShieldAlert } from "lucide-react";
import type { UntrustedPath } from "../../ipc/bindings";
import { t } from "../../text";
import { type ChoicesState, canBeAllowed, type FlowChoice, flowKey } from "./useChoices";

type Props = { flow: UntrustedPath; choices: ChoicesState; name: (id: string) => string };

export function Flow({ flow, choices, name }: Props) {
  return (
    <div className="taint-card" data-testid="untrusted">
      <ShieldAlert className="icon" size={17} strokeWidth={1.75} aria-hidden="true" />
      <div>
        <b>{t.approval.untrusted(name(flow.sink))}</b>
        <p className="t2">{t.approval.untrustedNote(name(flow.source), Math.max(0, flow.path.length - 2))}</p>
        <p className="xs t3">{flow.path.map(name).join(" → ")}</p>
        {canBeAllowed(flow) ? (
          <fieldset
            className="flow-choice"
            role="radiogroup"
            aria-label={t.approval.flowLabel(name(flow.sink))}
            aria-required="true"
            data-flow={flowKey(flow)}
          >
            <Way flow={flow} choices={choices} choice="ask" label={t.approval.flowAsk} />
            <Way flow={flow} choices={choices} choice="allow" label={t.approval.flowAllow} />
            {choices.saidOf(flow) === "allow" ? (
              <p className="sm">{t.approval.flowAllowNote(name(flow.path[flow.path.length - 2] ?? flow.source))}</p>
            ) : null}
          </fieldset>
        ) : (
          <p className="sm">{t.approval.flowAsked}</p>
        )}
      </div>
    </div>
  );
}

type WayProps = Omit<Props, "name"> & { choice: FlowChoice; label: string };

function Way({ flow, choices, choice, label }: WayProps) {
  return (
    <label>
      <input
        type="radio"
        name={`${flow.source}→${flow.sink}`}
        checked={choices.saidOf(flow) === choice}
        onChange={() => choices.say(flow, choice)}
        data-testid={`flow-${choice}`}
      />
      {label}
    </label>
  );
}

/** Brings the first choice of this way into view, with the focus on it. */
export function showFlow(key: string): void {
  const places = [...document.querySelectorAll<HTMLElement>("[data-flow]")];
  const place = places.find((one) => one.dataset.flow === key);
  place?.scrollIntoView?.({ block: "center" });
  place?.querySelector("input")?.focus({ preventScroll: true });
}
