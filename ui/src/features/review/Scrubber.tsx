// The scrubber over the time axis: the run's marks on a line, and the position as a slider. Under it the hours, where a drag
// chooses what is looked at.
import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import type { TimelineView } from "../../ipc/bindings";
import { t } from "../../text";
import { clock } from "../../text/format";
import { type Axis, drawnOf, seqAt, ticksOf } from "./axis";
import { paintMarks } from "./paintMarks";
import { coloursOf, contextOf, type Scene } from "./scene";
import { goTo } from "./store";
import type { Ranging } from "./useRange";

type Props = {
  line: TimelineView;
  axis: Axis;
  ranging: Ranging;
  seq: number;
  width: number;
  scale: number;
  theme: string;
};

export function Scrubber({ line, axis, ranging, seq, width, scale, theme }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { range } = ranging;
  const height = 28 * scale;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme's colours are read from the page
  useLayoutEffect(() => {
    if (!canvas.current || width <= 0) return;
    const cx = contextOf(canvas.current, width, height);
    if (!cx) return;
    paintMarks(
      cx,
      sceneOf({ axis, range, width, height, scale, element: canvas.current }),
      line.ticks,
      line.setAside,
      (tick) => {
        const track = tick.track === null ? undefined : line.tracks[tick.track];
        return track !== undefined && track.owner !== null;
      },
    );
  }, [line, axis, range, width, height, scale, theme]);
  const follow = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    goTo(seqAt(axis, range.from + share * (range.to - range.from)));
  };
  const at = clock(axis.at[seq - 1] ?? 0);
  return (
    <div
      className="scrubber"
      role="slider"
      tabIndex={0}
      aria-label={t.review.position}
      aria-valuemin={1}
      aria-valuemax={line.head}
      aria-valuenow={seq}
      aria-valuetext={t.review.positionText(at, seq, line.head)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture?.(event.pointerId);
        follow(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) follow(event);
      }}
      data-testid="scrubber"
    >
      <canvas ref={canvas} style={{ width, height }} aria-hidden="true" />
    </div>
  );
}

type SceneParts = Pick<Scene, "axis" | "range" | "width" | "height" | "scale"> & { element: Element };

export function sceneOf({ element, ...parts }: SceneParts): Scene {
  return {
    ...parts,
    row: 28 * parts.scale,
    top: 0,
    colours: coloursOf(element),
    words: { waiting: t.review.waitsForYou, doubt: t.review.inDoubt, replan: t.review.replans },
  };
}

/** Round hours over the rows. A drag chooses a stretch, a double click shows all of it. */
export function Hours({ axis, ranging, width, scale }: { axis: Axis; ranging: Ranging; width: number; scale: number }) {
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const { range } = ranging;
  const span = range.to - range.from;
  const shareOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  const onUp = () => {
    if (!brush) return;
    const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
    setBrush(null);
    if ((to - from) * width < 6) goTo(seqAt(axis, range.from + from * span));
    else ranging.to({ from: range.from + from * span, to: range.from + to * span });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys + − 0 do the same
    <div
      className="hours"
      title={t.review.brush}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture?.(event.pointerId);
        setBrush({ from: shareOf(event), to: shareOf(event) });
      }}
      onPointerMove={(event) => brush && setBrush({ ...brush, to: shareOf(event) })}
      onPointerUp={onUp}
      onDoubleClick={ranging.whole}
      data-testid="hours"
    >
      {ticksOf(axis, range, Math.max(2, Math.floor(width / (84 * scale)))).map(({ place, text }) => (
        <span key={place} className="num" style={{ left: `${(100 * (place - range.from)) / span}%` }}>
          {text}
        </span>
      ))}
      {axis.cuts.map((cut) => (
        <CutMark key={cut.from} cut={cut} axis={axis} range={range} />
      ))}
      {brush ? (
        <i
          className="brush"
          style={{
            left: `${100 * Math.min(brush.from, brush.to)}%`,
            width: `${100 * Math.abs(brush.to - brush.from)}%`,
          }}
        />
      ) : null}
    </div>
  );
}

type CutProps = { cut: Axis["cuts"][number]; axis: Axis; range: Ranging["range"] };

/** Where idle time is drawn shorter than it was. */
function CutMark({ cut, axis, range }: CutProps) {
  const middle = drawnOf(axis, (cut.from + cut.to) / 2);
  const share = (middle - range.from) / (range.to - range.from);
  if (share < 0 || share > 1) return null;
  return (
    <i className="cut-mark" style={{ left: `${100 * share}%` }} title={t.review.cut(clock(cut.to - cut.from))}>
      {"⫽"}
    </i>
  );
}
