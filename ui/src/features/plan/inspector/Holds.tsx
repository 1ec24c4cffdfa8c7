// What holds in the run to come: where it stops at this task, and an output that is held instead of executing it.
import { Pin, PinOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, FaultLine, Segments } from "../../../components/controls/controls";
import { CodeField } from "../../../components/values/CodeField";
import type { BreakpointView } from "../../../ipc/bindings";
import { host } from "../../../ipc/host";
import { parse } from "../../../ipc/json";
import { breakAt, hold, useLastOutput } from "../../../state/laid";
import { t } from "../../../text";
import { age, visible } from "../../../text/format";
import { useTask } from "./context";
import { Section } from "./parts";

const BREAKS = ["none", "before", "after", "both"] as const;

export function Holds() {
  const { task, isLocked } = useTask();
  const [isOpen, setOpen] = useState(false);
  if (isLocked) return null;
  const choose = (value: (typeof BREAKS)[number]) => void breakAt(task.id, value === "none" ? null : value);
  return (
    <Section title={t.holds.title} field="hold">
      <p className="xs t3">{t.holds.note}</p>
      <div className="hold-line">
        <div className="grow">
          <span>{task.pinned ? t.holds.pinned : t.holds.pin}</span>
          <p className="xs t3">{t.holds.pinNote}</p>
        </div>
        {task.pinned ? (
          <Button
            size="small"
            icon={<PinOff className="icon" size={13} strokeWidth={1.75} />}
            onClick={() => void hold(task.id, null).then(() => setOpen(false))}
            data-testid="unpin"
          >
            {t.holds.unpin}
          </Button>
        ) : isOpen ? null : (
          <Button
            size="small"
            icon={<Pin className="icon" size={13} strokeWidth={1.75} />}
            onClick={() => setOpen(true)}
            data-testid="pin"
          >
            {t.holds.pin}
          </Button>
        )}
      </div>
      {task.pinned || isOpen ? <Value key={String(task.pinned)} onDone={() => setOpen(false)} /> : null}
      <div className="hold-line">
        <span className="grow">{t.holds.breakpoint}</span>
        <Segments<BreakpointView | "none">
          label={t.holds.breakpoint}
          choices={BREAKS.map((value) => ({ value, label: t.holds.breaks[value] }))}
          value={task.breakpoint ?? "none"}
          onChange={choose}
          testId="breakpoint"
        />
      </div>
    </Section>
  );
}

/** The output that is held, or is to be: what the last run gave, until something else is written. */
function Value({ onDone }: { onDone: () => void }) {
  const { view, task } = useTask();
  const last = useLastOutput(view.run, task.id);
  const held = useHeld(view.run, task.id, task.pinned);
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const text = typed ?? held ?? (task.pinned ? "" : (last?.json ?? ""));
  const keep = async () => {
    try {
      parse(text);
    } catch (wrong) {
      setFault(t.holds.bad(wrong instanceof Error ? `${wrong.message}.` : ""));
      return;
    }
    if (await hold(task.id, text)) onDone();
  };
  return (
    <div className="hold-value">
      <CodeField
        label={t.holds.held}
        language="json"
        value={text}
        onChange={(next) => {
          setTyped(next);
          setFault(null);
        }}
        invalid={fault !== null}
        testId="held-output"
      />
      {fault ? <FaultLine text={visible(fault)} /> : null}
      <div className="row">
        <Button size="small" onClick={() => void keep()} disabled={text.trim() === ""} data-testid="keep-held">
          {t.holds.keep}
        </Button>
        {last?.json ? (
          <Button size="small" look="ghost" onClick={() => setTyped(last.json)} title={age(last.at, Date.now())}>
            {t.holds.fromLast}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function useHeld(run: string, task: string, isPinned: boolean): string | null {
  const [held, setHeld] = useState<string | null>(null);
  useEffect(() => {
    if (!isPinned) return;
    let isGone = false;
    host()
      .heldOutput(run, task)
      .then(
        (json) => !isGone && setHeld(json),
        () => undefined,
      );
    return () => {
      isGone = true;
    };
  }, [run, task, isPinned]);
  return held;
}
