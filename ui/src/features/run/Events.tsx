// What happened, newest first: a strip under the canvas, windowed, each line leading to its task.
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Dot, Hand, Pause, Play, RotateCw } from "lucide-react";
import { useMemo, useRef } from "react";
import { Button, IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { Splitter } from "../../components/controls/Splitter";
import type { DraftView, EventView } from "../../ipc/bindings";
import { namesOf } from "../../state/cards";
import { usePanel } from "../../state/panels";
import { useRun } from "../../state/run";
import { select } from "../../state/selection";
import { t } from "../../text";
import { timeOfDay, visible } from "../../text/format";

const ROW = 24;

export function Events({ plan }: { plan: DraftView }) {
  const events = useRun((s) => s.events);
  const seq = useRun((s) => s.seq);
  const panel = usePanel("run.bottom");
  const names = useMemo(() => namesOf(plan), [plan]);
  const shown = useMemo(() => [...events].reverse(), [events]);
  const box = useRef<HTMLDivElement>(null);
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW * scale,
    overscan: 8,
    initialRect: { width: 600, height: panel.size },
  });
  return (
    <section
      className="events"
      aria-label={t.run.events}
      style={{ height: `${panel.size / 16}rem` }}
      data-testid="events"
      data-region="events"
    >
      <Splitter
        label={t.shell.bottomPanel}
        side="top"
        size={panel.size}
        usual={panel.usual}
        min={panel.min}
        max={panel.max}
        onSize={panel.onSize}
        onRest={panel.onRest}
      />
      <div className="events-head">
        <h3 className="heading">{t.run.events}</h3>
        <span className="xs t3 grow">
          {shown.length === 0 ? t.run.eventsNone : t.run.eventsLast(shown.length, seq)}
        </span>
        <IconButton
          label={t.run.eventsHide}
          hint={printKeys("ctrl+j")}
          size="small"
          icon={<ChevronDown className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
          onClick={panel.toggle}
          data-testid="hide-events"
        />
      </div>
      <div className="events-list" ref={box} tabIndex={0} role="log" aria-live="off" aria-label={t.run.events}>
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((item) => {
            const event = shown[item.index];
            return event ? (
              <Row
                key={event.seq}
                event={event}
                name={event.task ? (names.get(event.task) ?? event.task) : null}
                top={item.start}
              />
            ) : null;
          })}
        </div>
      </div>
    </section>
  );
}

/** Folded away: one line that opens them again. */
export function EventsFolded({ onOpen }: { onOpen: () => void }) {
  return (
    <div className="events folded" data-region="events">
      <Button
        look="ghost"
        size="small"
        hint={printKeys("ctrl+j")}
        icon={<ChevronUp className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
        onClick={onOpen}
        data-testid="show-events"
      >
        {t.run.events}
      </Button>
    </div>
  );
}

function Row({ event, name, top }: { event: EventView; name: string | null; top: number }) {
  return (
    <div className="event" style={{ transform: `translateY(${top}px)` }}>
      <span className="mono t3">{event.at === null ? "" : timeOfDay(event.at)}</span>
      <EventIcon kind={event.kind} />
      {name && event.task ? <EventTask id={event.task} name={name} /> : null}
      <span className="el t2">{visible(withoutName(event.text, name))}</span>
    </div>
  );
}

function EventTask({ id, name }: { id: string; name: string }) {
  return (
    <button type="button" className="event-task el" onClick={() => select([id])}>
      {visible(name)}
    </button>
  );
}

/** The engine's sentence may begin with the task's name, which stands before it already. */
function withoutName(text: string, name: string | null): string {
  return name !== null && text.startsWith(name) ? text.slice(name.length).replace(/^[\s:]+/, "") : text;
}

export function EventIcon({ kind }: { kind: string }) {
  const props = { size: 13, strokeWidth: 1.75, "aria-hidden": true } as const;
  if (kind === "task_completed") return <CircleCheck className="icon tone-completed" {...props} />;
  if (kind === "task_retrying") return <RotateCw className="icon tone-retrying" {...props} />;
  if (kind.includes("failed")) return <CircleAlert className="icon tone-failed" {...props} />;
  if (kind.startsWith("decision") || kind === "task_waiting") return <Hand className="icon tone-waiting" {...props} />;
  if (kind.includes("paused")) return <Pause className="icon t3" {...props} />;
  if (kind === "task_started" || kind === "approved" || kind.includes("resumed"))
    return <Play className="icon tone-running" {...props} />;
  return <Dot className="icon t3" {...props} />;
}
