// The time axis: names at the left, bars on one canvas, times and costs at the right. Only the rows in view are made, and a
// step of the position moves one line and paints nothing.
import { Minus, Plus, Route } from "lucide-react";
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { KindIcon } from "../../components/marks/marks";
import type { TimelineView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";
import { type Axis, ticksOf } from "./axis";
import { barText, costText, nameOf, timeText } from "./describe";
import { paintRows } from "./paint";
import type { Bar, Grouping, Row } from "./rows";
import { Hours, Scrubber, sceneOf } from "./Scrubber";
import { contextOf, xOf } from "./scene";
import type { Ranging } from "./useRange";

const ROW_REM = 1.75;
const SPARE = 4;

type Props = {
  line: TimelineView;
  axis: Axis;
  rows: readonly Row[];
  by: Grouping;
  seq: number;
  ranging: Ranging;
  chosen: string | undefined;
  onChoose: (task: string) => void;
  theme: string;
};

export function Gantt(props: Props) {
  const { line, axis, ranging, rows, seq } = props;
  const plot = useRef<HTMLDivElement>(null);
  const { width, scale } = usePlot(plot);
  const share = (ranging.place - ranging.range.from) / (ranging.range.to - ranging.range.from);
  return (
    <section className="gantt" aria-label={t.review.axisLabel(rows.length)} data-testid="gantt">
      <div className="gantt-head">
        <span className="gantt-name xs t3">
          <span className="grow">{props.by === "tasks" ? t.review.task : t.review.worker}</span>
          <Closer ranging={ranging} />
        </span>
        <div className="gantt-plot" ref={plot}>
          <Scrubber {...{ line, axis, ranging, seq, width, scale }} theme={props.theme} />
          <Hours axis={axis} ranging={ranging} width={width} scale={scale} />
        </div>
        <span className="gantt-sums xs t3">
          <span>{t.review.time}</span>
          <span>{t.review.cost}</span>
        </span>
      </div>
      <Rows {...props} width={width} scale={scale} />
      {share >= 0 && share <= 1 ? (
        <div className="playhead-room" aria-hidden="true">
          <i className="scrubbed" style={{ transform: `scaleX(${Math.max(0, share * width)})` }} />
          <i className="playhead" style={{ transform: `translateX(${share * width}px)` }} data-testid="playhead" />
        </div>
      ) : null}
    </section>
  );
}

function Closer({ ranging }: { ranging: Ranging }) {
  return (
    <>
      <IconButton
        size="small"
        label={t.review.farther}
        hint={printKeys("-")}
        disabled={ranging.isWhole}
        icon={<Minus className="icon" size={14} strokeWidth={1.75} />}
        onClick={ranging.farther}
        data-testid="axis-out"
      />
      <IconButton
        size="small"
        label={t.review.closer}
        hint={printKeys("+")}
        icon={<Plus className="icon" size={14} strokeWidth={1.75} />}
        onClick={ranging.closer}
        data-testid="axis-in"
      />
    </>
  );
}

/** How wide the bars' room is, and how large the text. */
function usePlot(plot: React.RefObject<HTMLDivElement | null>) {
  const [room, setRoom] = useState({ width: 0, scale: 1 });
  useLayoutEffect(() => {
    const measure = () => {
      const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
      setRoom({ width: plot.current?.clientWidth ?? 0, scale });
    };
    measure();
    if (!plot.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(plot.current);
    return () => observer.disconnect();
  }, [plot]);
  return room;
}

type RowsProps = Props & { width: number; scale: number };

function Rows({ rows, axis, ranging, width, scale, chosen, onChoose, theme }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 240 });
  const measure = useCallback(() => {
    if (box.current) setView({ top: box.current.scrollTop, height: box.current.clientHeight || 240 });
  }, []);
  useLayoutEffect(() => {
    measure();
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [measure]);
  const row = 16 * ROW_REM * scale;
  const first = Math.max(0, Math.floor(view.top / row) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / row) + SPARE);
  useReveal(box, rows, chosen, row);
  return (
    <div className="gantt-rows" ref={box} onScroll={measure}>
      <div className="gantt-tall" style={{ height: `${Math.max(1, rows.length) * ROW_REM}rem` }}>
        {rows.slice(first, last).map((one, ix) => (
          <RowLine
            key={one.key}
            row={one}
            axis={axis}
            top={(first + ix) * ROW_REM}
            isChosen={chosen !== undefined && one.task === chosen}
            onChoose={onChoose}
          />
        ))}
        <Bars
          {...{ rows, axis, ranging, width, scale, onChoose, theme }}
          top={view.top}
          height={view.height}
          row={row}
        />
      </div>
    </div>
  );
}

/** Brings the row of the task that was chosen elsewhere into view. */
function useReveal(
  box: React.RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  chosen: string | undefined,
  row: number,
) {
  useEffect(() => {
    const at = rows.findIndex((one) => one.task !== null && one.task === chosen);
    const scroller = box.current;
    if (at < 0 || !scroller) return;
    const [top, bottom] = [at * row, (at + 1) * row];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
  }, [box, rows, chosen, row]);
}

type LineProps = { row: Row; axis: Axis; top: number; isChosen: boolean; onChoose: (task: string) => void };

const RowLine = memo(function RowLine({ row, axis, top, isChosen, onChoose }: LineProps) {
  const { track, task } = row;
  const name = nameOf(row);
  return (
    <div className={`gantt-row${isChosen ? " chosen" : ""}`} style={{ transform: `translateY(${top}rem)` }}>
      {track && task ? (
        <button
          type="button"
          className="gantt-name"
          aria-pressed={isChosen}
          title={visible(name)}
          onClick={() => onChoose(task)}
          data-testid={`row-${task}`}
        >
          <KindIcon kind={track.taskType} size={14} />
          <span className="el grow" dir="auto">
            {visible(name)}
          </span>
          {track.isCritical ? (
            <Route className="icon t2" size={13} strokeWidth={1.75} aria-label={t.review.critical} />
          ) : null}
        </button>
      ) : (
        <span className="gantt-name t2">{name}</span>
      )}
      <span className="gantt-sums num">
        <span>{timeText(row, axis)}</span>
        <span className="t3">{track ? costText(track, row.bars.length > 0) : ""}</span>
      </span>
    </div>
  );
});

type BarsProps = {
  rows: readonly Row[];
  axis: Axis;
  ranging: Ranging;
  width: number;
  scale: number;
  top: number;
  height: number;
  row: number;
  onChoose: (task: string) => void;
  theme: string;
};

function Bars({ rows, axis, ranging, width, scale, top, height, row, onChoose, theme }: BarsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { range } = ranging;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme's colours are read from the page
  useLayoutEffect(() => {
    if (!canvas.current || width <= 0) return;
    const cx = contextOf(canvas.current, width, height);
    if (!cx) return;
    const scene = { ...sceneOf({ axis, range, width, height, scale, element: canvas.current }), row, top };
    paintRows(cx, scene, rows, ticksOf(axis, range, Math.max(2, Math.floor(width / (84 * scale)))));
  }, [rows, axis, range, width, scale, top, height, row, theme]);
  useWheel(canvas, ranging);
  const barAt = (event: React.MouseEvent): { row: Row | undefined; bar: Bar | undefined } => {
    const box = event.currentTarget.getBoundingClientRect();
    const found = rows[Math.floor((event.clientY - box.top + top) / row)];
    const x = event.clientX - box.left;
    const isHit = ({ span }: Bar) => {
      const [from, to] = [xOf({ axis, range, width }, span.from), xOf({ axis, range, width }, span.to)];
      return x >= from - 3 && x <= Math.max(to, from + 3) + 3;
    };
    return { row: found, bar: found?.bars.findLast(isHit) };
  };
  return (
    <canvas
      ref={canvas}
      className="gantt-bars"
      style={{ width, height }}
      aria-hidden="true"
      onClick={(event) => {
        const { row: found, bar } = barAt(event);
        const task = bar?.track?.task ?? found?.task;
        if (task) onChoose(task);
      }}
      onMouseMove={(event) => {
        const { bar } = barAt(event);
        event.currentTarget.title = bar ? barText(bar, axis) : "";
      }}
    />
  );
}

/** The wheel with Ctrl zooms at the pointer, with Shift or aslant it moves; alone it scrolls the rows. */
function useWheel(canvas: React.RefObject<HTMLCanvasElement | null>, ranging: Ranging): void {
  const latest = useRef(ranging);
  latest.current = ranging;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const { range, zoom, move } = latest.current;
      const span = range.to - range.from;
      const box = element.getBoundingClientRect();
      const aslant = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        const share = (event.clientX - box.left) / Math.max(1, box.width);
        zoom(Math.exp(-event.deltaY / 400), range.from + share * span);
      } else if (aslant !== 0) move((aslant / Math.max(1, box.width)) * span);
      else return;
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [canvas]);
}
