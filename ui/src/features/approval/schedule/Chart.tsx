// The schedule drawn: a row for each task, or for each slot. Only the rows in view are made; the table says the same in words.
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { DryRunView } from "../../../ipc/bindings";
import { select, useSelection } from "../../../state/selection";
import { t } from "../../../text";
import { type Bar, moment, type Row, scaleOf, ticksOf, tickText } from "./rows";

type Props = {
  run: DryRunView;
  rows: readonly Row[];
  name: (id: string) => string;
  onHover: (task: string | null) => void;
};

const ROW_REM = 1.75;
const SPARE = 6;
const TICKS = 6;

export function Chart({ run, rows, name, onHover }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, row: 28 });
  const measure = useCallback(() => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    if (box.current)
      setView({ top: box.current.scrollTop, height: box.current.clientHeight || 600, row: rem * ROW_REM });
  }, []);
  useLayoutEffect(() => {
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, [measure]);
  const first = Math.max(0, Math.floor(view.top / view.row) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / view.row) + SPARE);
  const chosen = useSelection((s) => s.tasks);
  const words = wordsOf(run, name);
  return (
    <div
      className="chart"
      role="group"
      aria-label={t.schedule.chartLabel(run.tasks.length)}
      data-testid="schedule-chart"
    >
      <Axis whole={scaleOf(run)} />
      <div className="chart-rows" ref={box} onScroll={measure}>
        <div style={{ height: `${rows.length * ROW_REM}rem` }}>
          {rows.slice(first, last).map((row, ix) => (
            <div
              key={row.key}
              className="chart-row"
              style={{ transform: `translateY(${(first + ix) * ROW_REM}rem)`, height: `${ROW_REM}rem` }}
            >
              <span className="el chart-name" title={row.label} dir="auto">
                {row.label}
              </span>
              <div className="chart-plot">
                {row.bars.map((bar) => (
                  <BarButton
                    key={bar.task}
                    bar={bar}
                    label={words(bar.task)}
                    isChosen={chosen.includes(bar.task)}
                    onHover={onHover}
                  />
                ))}
              </div>
              <span className="num t3 chart-note">{row.note}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function wordsOf(run: DryRunView, name: (id: string) => string): (id: string) => string {
  const byId = new Map(run.tasks.map((task) => [task.task, task]));
  const path = new Set(run.critical);
  return (id) => {
    const task = byId.get(id);
    return task ? t.schedule.row(name(id), moment(task.start), moment(task.end), path.has(id)) : name(id);
  };
}

type BarProps = { bar: Bar; label: string; isChosen: boolean; onHover: (task: string | null) => void };

function BarButton({ bar, label, isChosen, onHover }: BarProps) {
  const looks = [
    "chart-bar",
    bar.isAssumed ? "assumed" : "",
    bar.asks ? "asks" : "",
    bar.isOnPath ? "path" : "",
    isChosen ? "chosen" : "",
  ];
  return (
    <>
      {bar.reach ? (
        <i className="chart-reach" style={{ left: `${bar.reach.from}%`, width: `${bar.reach.width}%` }} />
      ) : null}
      <button
        type="button"
        className={looks.filter(Boolean).join(" ")}
        style={{ left: `${bar.from}%`, width: `${bar.width}%` }}
        aria-label={label}
        aria-pressed={isChosen}
        title={label}
        onClick={() => select([bar.task])}
        onMouseEnter={() => onHover(bar.task)}
        onMouseLeave={() => onHover(null)}
        onFocus={() => onHover(bar.task)}
        onBlur={() => onHover(null)}
        data-testid={`bar-${bar.task}`}
      >
        <i className="target" />
      </button>
      {bar.asks ? (
        <span className="chart-you" style={{ left: `${bar.from}%` }}>
          {t.schedule.waits}
        </span>
      ) : null}
    </>
  );
}

function Axis({ whole }: { whole: number }) {
  const ticks = ticksOf(whole, TICKS);
  return (
    <div className="chart-axis" aria-hidden="true">
      <span className="chart-name">{t.schedule.task}</span>
      <div className="chart-plot">
        {ticks.map((at) => (
          <span key={at} className="num" style={{ left: `${(100 * at) / whole}%` }}>
            {tickText(at, ticks)}
          </span>
        ))}
      </div>
      <span className="chart-note">{t.schedule.takes}</span>
    </div>
  );
}
