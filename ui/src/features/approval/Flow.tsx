// One way of outside text to something that acts, with the choice about it: asked each time, or let go.
import { ShieldAlert } from "lucide-react";
import type { UntrustedPath } from "../../ipc/bindings";
import { t } from "../../text";
import { type ChoicesState, canBeAllowed } from "./useChoices";

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
          <fieldset className="flow-choice" aria-label={t.approval.untrusted(name(flow.sink))}>
            <Way flow={flow} choices={choices} isAllowing={false} label={t.approval.flowAsk} />
            <Way flow={flow} choices={choices} isAllowing={true} label={t.approval.flowAllow} />
            {choices.isAllowed(flow) ? (
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

function Way({
  flow,
  choices,
  isAllowing,
  label,
}: Omit<Props, "name"> & {
  isAllowing: boolean;
  label: string;
}) {
  return (
    <label>
      <input
        type="radio"
        name={`${flow.source}→${flow.sink}`}
        checked={choices.isAllowed(flow) === isAllowing}
        onChange={() => choices.allow(flow, isAllowing)}
        data-testid={isAllowing ? "flow-allow" : "flow-ask"}
      />
      {label}
    </label>
  );
}
