// What of the time axis is looked at: zoomed, moved, and brought along with the position.
import { useCallback, useEffect, useState } from "react";
import { type Axis, placeOf, type Range, showing, wholeOf, within, zoomed } from "./axis";

const STEP = 1.5;

export type Ranging = ReturnType<typeof useRange>;

export function useRange(axis: Axis, seq: number) {
  const [range, setRange] = useState<Range>(() => wholeOf(axis));
  const [known, setKnown] = useState(axis);
  if (known !== axis) {
    // The run went on: who saw all of it sees all of it.
    const wasWhole = range.from === 0 && range.to >= known.length;
    setKnown(axis);
    setRange(wasWhole ? wholeOf(axis) : within(range, axis.length));
  }
  const place = placeOf(axis, seq);
  useEffect(() => setRange((now) => showing(now, place, axis.length)), [place, axis]);
  const zoom = useCallback(
    (by: number, around?: number) =>
      setRange((now) => {
        const inView = place >= now.from && place <= now.to ? place : (now.from + now.to) / 2;
        return zoomed(now, by, around ?? inView, axis.length);
      }),
    [place, axis],
  );
  return {
    range,
    place,
    isWhole: range.from <= 0 && range.to >= axis.length,
    zoom,
    closer: () => zoom(STEP),
    farther: () => zoom(1 / STEP),
    whole: () => setRange(wholeOf(axis)),
    move: (by: number) => setRange((now) => within({ from: now.from + by, to: now.to + by }, axis.length)),
    to: (next: Range) => setRange(within(next, axis.length)),
  };
}
