// The lower part of a look back: how the rows are grouped, playback, what the marks mean, going back; then the axis or its table.
import { GitFork, Pause, Play, Rewind, Route, SkipBack, SkipForward, TableProperties } from "lucide-react";
import { Button, IconButton, Segments } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { Select } from "../../components/controls/Select";
import { Splitter } from "../../components/controls/Splitter";
import type { TimelineView } from "../../ipc/bindings";
import type { usePanel } from "../../state/panels";
import { t } from "../../text";
import { clock } from "../../text/format";
import type { Axis } from "./axis";
import { Gantt } from "./Gantt";
import type { Way } from "./GoingBack";
import { checkpointOf, type Grouping, later, nextTick, type Row } from "./rows";
import { SpanTable } from "./SpanTable";
import { type Playback, SPEEDS, type Speed } from "./usePlayback";
import type { Ranging } from "./useRange";

type Props = {
  line: TimelineView;
  axis: Axis;
  rows: readonly Row[];
  by: Grouping;
  seq: number;
  ranging: Ranging;
  playback: Playback;
  isTable: boolean;
  chosen: string | undefined;
  theme: string;
  panel: ReturnType<typeof usePanel>;
  onChoose: (task: string) => void;
  onBy: (by: Grouping) => void;
  onTable: (on: boolean) => void;
  onMove: (seq: number) => void;
  onWay: (way: Way) => void;
};

export function TimeDock(props: Props) {
  const { line, axis, rows, by, seq, ranging, chosen, panel, theme, onChoose } = props;
  return (
    <section
      className="time-dock"
      style={{ height: `${panel.size / 16}rem` }}
      aria-label={t.review.chart}
      data-region="time"
      data-testid="time-dock"
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
      <Head {...props} />
      {props.isTable ? (
        <SpanTable line={line} axis={axis} rows={rows} chosen={chosen} onChoose={onChoose} />
      ) : (
        <Gantt {...{ line, axis, rows, by, seq, ranging, chosen, onChoose, theme }} />
      )}
    </section>
  );
}

function Head({ line, axis, by, seq, playback, isTable, onBy, onTable, onMove, onWay }: Props) {
  return (
    <div className="time-head">
      <Segments<Grouping>
        label={t.review.grouping}
        value={by}
        onChange={onBy}
        choices={[
          { value: "tasks", label: t.review.byTask },
          { value: "workers", label: t.review.byWorker },
        ]}
        testId="rows-by"
      />
      <Transport line={line} axis={axis} seq={seq} playback={playback} onMove={onMove} />
      <IconButton
        label={t.review.table}
        hint={printKeys("t")}
        aria-pressed={isTable}
        icon={<TableProperties className="icon" size={15} strokeWidth={1.75} />}
        onClick={() => onTable(!isTable)}
        data-testid="axis-table"
      />
      <Legend />
      <Where line={line} seq={seq} />
      <Button
        size="medium"
        hint={printKeys("r")}
        icon={<Rewind className="icon" size={14} strokeWidth={1.75} />}
        onClick={() => onWay({ how: "rewind", seq })}
        data-testid="rewind"
      >
        {t.review.rewind}
      </Button>
      <Button
        look="primary"
        hint={printKeys("f")}
        icon={<GitFork className="icon" size={14} strokeWidth={1.75} />}
        onClick={() => onWay({ how: "fork", seq })}
        data-testid="fork"
      >
        {t.review.fork}
      </Button>
    </div>
  );
}

type TransportProps = Pick<Props, "line" | "axis" | "seq" | "playback" | "onMove">;

function Transport({ line, axis, seq, playback, onMove }: TransportProps) {
  const toTick = (by: 1 | -1) => onMove(nextTick(line.ticks, seq, by, "checkpoint") ?? (by > 0 ? line.head : 1));
  const Icon = playback.isPlaying ? Pause : Play;
  return (
    <span className="transport">
      <IconButton
        label={t.review.before}
        hint={printKeys("shift+arrowleft")}
        disabled={seq <= 1}
        icon={<SkipBack className="icon" size={15} strokeWidth={1.75} />}
        onClick={() => toTick(-1)}
        data-testid="tick-before"
      />
      <IconButton
        look="plain"
        label={playback.isPlaying ? t.review.pause : t.review.play}
        hint={printKeys("space")}
        icon={<Icon className="icon" size={15} strokeWidth={1.75} />}
        onClick={playback.toggle}
        data-testid="play"
      />
      <IconButton
        label={t.review.next}
        hint={printKeys("shift+arrowright")}
        disabled={seq >= line.head}
        icon={<SkipForward className="icon" size={15} strokeWidth={1.75} />}
        onClick={() => toTick(1)}
        data-testid="tick-next"
      />
      <span className="num transport-at" title={t.review.event(seq, line.head)} data-testid="position">
        <b>{clock(axis.at[seq - 1] ?? 0)}</b>{" "}
        <span className="t3">{t.review.ofAll(clock(axis.at[line.head - 1] ?? 0))}</span>
      </span>
      <Select
        label={t.review.speed}
        value={String(playback.speed)}
        onChange={(next) => playback.setSpeed(Number(next) as Speed)}
        options={SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        testId="speed"
      />
    </span>
  );
}

function Legend() {
  return (
    <span className="time-legend xs t3" aria-hidden="true">
      <span>
        <Route className="icon" size={13} strokeWidth={1.75} />
        {t.review.legend.critical}
      </span>
      <span>
        <svg width="12" height="12" role="presentation">
          <path className="mark checkpoint" d="M6 1l5 5-5 5-5-5z" />
        </svg>
        {t.review.legend.checkpoint}
      </span>
      <span>
        <svg width="12" height="12" role="presentation">
          <path className="mark effect" d="M6 1l5 10H1z" />
        </svg>
        {t.review.legend.effect}
      </span>
      <span>
        <svg width="12" height="12" role="presentation">
          <path className="mark failure" d="M2 2l8 8m0-8l-8 8" />
        </svg>
        {t.review.legend.failure}
      </span>
    </span>
  );
}

function Where({ line, seq }: { line: TimelineView; seq: number }) {
  const effects = later(line.ticks, seq, "effect");
  const text = [t.review.checkpoint(checkpointOf(line.ticks, seq)), effects > 0 ? t.review.laterEffects(effects) : ""]
    .filter(Boolean)
    .join(" · ");
  return (
    <span className="sm t2 el time-where" title={text} data-testid="where">
      {text}
    </span>
  );
}
