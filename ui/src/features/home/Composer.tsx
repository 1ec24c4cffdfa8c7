// The goal: words, who does the work, what it may use and cost. Ctrl Enter makes a plan; nothing runs before the approval.
import { Clock, Wallet } from "lucide-react";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/controls/controls";
import { keyOf, printKeys } from "../../components/controls/keys";
import type { ModelsView } from "../../ipc/bindings";
import { changeGoal, isMinutes, isMoney, isReady, useGoal } from "../../state/goal";
import { useModels } from "../../state/models";
import { makePlan } from "../../state/planning";
import { readTools, useTools } from "../../state/tools";
import { t } from "../../text";
import { AmountPicker } from "./AmountPicker";
import { Attachments } from "./Attachments";
import { Roles } from "./Roles";
import { Sent } from "./Sent";
import { ToolPicker } from "./ToolPicker";

/** `view` is null while models are looked for. */
export function Composer({ view }: { view: ModelsView | null }) {
  const goal = useGoal();
  const [isBusy, setBusy] = useState(false);
  const isLooking = useModels((s) => s.isLooking);
  const hasModel = view !== null && view.models.length > 0;
  const isOpen = isReady(goal) && hasModel && !isBusy;
  const make = async () => {
    if (!isOpen) return;
    setBusy(true);
    // Where it went well this screen is gone.
    if (!(await makePlan())) setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Null while an input method composes: Enter then picks a candidate.
    if (keyOf(event.nativeEvent) !== "ctrl+enter") return;
    event.preventDefault();
    void make();
  };
  return (
    <section aria-label={t.composer.title}>
      <div className="composer" onKeyDown={onKeyDown} role="group" aria-label={t.composer.goal} data-testid="composer">
        <Words text={goal.text} />
        {hasModel ? <Roles view={view} /> : null}
        <div className="composer-bar">
          <Bar />
          <Button
            look="primary"
            size="large"
            className="composer-make"
            hint={printKeys("ctrl+enter")}
            disabled={!isOpen}
            onClick={() => void make()}
            data-testid="make-plan"
          >
            {isBusy ? t.composer.making : t.composer.make}
          </Button>
        </div>
      </div>
      {hasModel ? <Sent view={view} hasFiles={goal.files.length > 0} /> : null}
      {view === null && isLooking ? (
        <p className="sent sm t3" role="status">
          {t.home.looking}
        </p>
      ) : null}
    </section>
  );
}

function Bar() {
  const { tools: chosen, cap, minutes, files } = useGoal();
  const tools = useTools((s) => s.tools);
  useEffect(() => void readTools(), []);
  return (
    <>
      <Attachments files={files} />
      {tools ? <ToolPicker tools={tools} chosen={chosen} onChange={(next) => changeGoal({ tools: next })} /> : null}
      <AmountPicker
        name={t.composer.cap}
        title={t.composer.capTitle}
        note={t.composer.capNote}
        icon={<Wallet className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />}
        none={t.composer.capNone}
        shown={cap.trim() ? `$${cap.trim()}` : null}
        unit={t.composer.unit.usd}
        value={cap}
        usual={t.composer.usualCaps}
        print={(amount) => `$${amount}`}
        fault={isMoney(cap) ? null : t.composer.capWrong}
        onChange={(next) => changeGoal({ cap: next })}
        testId="goal-cap"
      />
      <AmountPicker
        name={t.composer.time}
        title={t.composer.timeTitle}
        note={t.composer.timeNote}
        icon={<Clock className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />}
        none={t.composer.timeNone}
        shown={minutes.trim() ? t.composer.minutes(Number(minutes)) : null}
        unit={t.composer.unit.minutes}
        value={minutes}
        usual={t.composer.usualMinutes}
        print={(amount) => t.composer.minutes(Number(amount))}
        fault={isMinutes(minutes) ? null : t.composer.timeWrong}
        onChange={(next) => changeGoal({ minutes: next })}
        testId="goal-time"
      />
    </>
  );
}

/** Grows with its text, up to a share of the window. */
function Words({ text }: { text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
  return (
    <textarea
      ref={field}
      className="composer-text"
      aria-label={t.composer.title}
      placeholder={t.composer.hint}
      rows={3}
      dir="auto"
      value={text}
      onChange={(event) => changeGoal({ text: event.target.value })}
      data-testid="goal"
    />
  );
}
