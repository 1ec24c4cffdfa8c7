// What the plan may touch, riskiest first, each with the tasks that need it. Pointing at one lights the other.
import { useEffect, useRef } from "react";
import { Toggle } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { AccessIcon, isRisky } from "../../components/marks/marks";
import type { ApprovalView, Effect, NeedView } from "../../ipc/bindings";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { type ChoicesState, rowKey } from "./useChoices";

type Props = {
  approval: ApprovalView;
  choices: ChoicesState;
  name: (id: string) => string;
  focused: string | null;
  /** Brings the grants of the focused task into view. */
  follows: boolean;
  onLight: (tasks: ReadonlySet<string> | null) => void;
};

const MOST_TASKS = 3;

export function Grants({ approval, choices, name, focused, follows, onLight }: Props) {
  const current = useRef<NeedView | null>(null);
  const isNew = new Set(approval.sinceLast?.needs.map(rowKey));
  useKeys({ x: () => (current.current ? choices.toggle(current.current) : false) }, "approve");
  const groups = groupsOf(approval.needs);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (follows && focused !== null)
      section.current?.querySelector(".grant.focused")?.scrollIntoView?.({ block: "nearest" });
  }, [follows, focused]);
  return (
    <section ref={section} aria-label={t.approval.touches} data-testid="grants">
      <div className="approval-section">
        <h3>{t.approval.touches}</h3>
        {approval.needs.length > 0 ? (
          <span className="sm t3">{t.approval.touchesNote(approval.needs.length)}</span>
        ) : null}
      </div>
      {approval.needs.length === 0 ? <p className="t2">{t.approval.touchesNothing}</p> : null}
      {groups.map(([effect, needs]) => (
        <div key={effect} className="grant-group">
          <h4 className={isRisky(effect) ? "tone-retrying" : "t2"}>
            <span className="grow">{t.approval.groups[effect]}</span>
            <span className="t3 num">{needs.length}</span>
          </h4>
          <ul>
            {needs.map((need, ix) => (
              <Grant
                key={ix}
                need={need}
                isOff={choices.isOff(need)}
                isNew={isNew.has(rowKey(need))}
                onToggle={() => choices.toggle(need)}
                onCurrent={(now) => {
                  current.current = now;
                }}
                name={name}
                isFocused={focused !== null && need.tasks.includes(focused)}
                onLight={onLight}
              />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** In the order in which the engine gave them: riskiest first. */
function groupsOf(needs: readonly NeedView[]): [Effect, NeedView[]][] {
  const groups = new Map<Effect, NeedView[]>();
  for (const need of needs) groups.set(need.effect, [...(groups.get(need.effect) ?? []), need]);
  return [...groups];
}

type GrantProps = {
  need: NeedView;
  isOff: boolean;
  isNew: boolean;
  onToggle: () => void;
  onCurrent: (need: NeedView | null) => void;
  name: (id: string) => string;
  isFocused: boolean;
  onLight: Props["onLight"];
};

function Grant({ need, isOff, isNew, onToggle, onCurrent, name, isFocused, onLight }: GrantProps) {
  const light = () => {
    onCurrent(need);
    onLight(new Set(need.tasks));
  };
  const dark = () => {
    onCurrent(null);
    onLight(null);
  };
  return (
    <li
      className={`grant${isFocused ? " focused" : ""}${isOff ? " off" : ""}`}
      onMouseEnter={light}
      onMouseLeave={dark}
      onFocus={light}
      onBlur={dark}
      data-testid={`grant-${need.access}`}
    >
      <span className="t2 grant-icon">
        <AccessIcon access={need.access} effect={need.effect} size={15} />
      </span>
      <span className="mono sel grant-what" dir="ltr">
        {visible(need.resource)}
        {isNew ? <span className="tag new-tag">{t.approval.isNew}</span> : null}
      </span>
      <Toggle
        checked={!isOff}
        onChange={onToggle}
        label={t.approval.allowGrant(visible(need.resource))}
        testId="grant-switch"
      />
      <span className="sm t3 grant-note">
        {need.method && !need.note.includes(need.method) ? `${need.method} · ${need.note}` : need.note}
      </span>
      <span className="grant-tasks">
        {need.tasks.slice(0, MOST_TASKS).map((id) => (
          <button key={id} type="button" className="tag line" onClick={() => select([id])}>
            <span className="el">{name(id)}</span>
          </button>
        ))}
        {need.tasks.length > MOST_TASKS ? (
          <span className="tag">{t.approval.more(need.tasks.length - MOST_TASKS)}</span>
        ) : null}
      </span>
    </li>
  );
}
