// The ruler at the left (or on top): the number of each wave beside its row of cards. Only the rows in view are drawn.
import { useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import { t } from "../../text";
import { useDirection } from "./direction";
import type { Placing } from "./flow";

const LEAST_DISTANCE = 26;
const LEAST_ACROSS = 64;

type Props = {
  placing: Placing;
  /** What is said of the tasks of a wave; else how many they are. */
  note?: (ids: readonly string[]) => string | null;
};

export const WaveRuler = memo(function WaveRuler({ placing, note }: Props) {
  const isDown = useDirection((s) => s.direction === "down");
  const zoom = useStore((s) => s.transform[2]);
  const offset = useStore((s) => s.transform[isDown ? 1 : 0]);
  const room = useStore((s) => (isDown ? s.height : s.width));
  const rows = useMemo(
    () => rowsOf(placing, isDown).map((row) => ({ ...row, text: note?.(row.ids) ?? t.canvas.atOnce(row.ids.length) })),
    [placing, isDown, note],
  );
  const least = isDown ? LEAST_DISTANCE : LEAST_ACROSS;
  let last = Number.NEGATIVE_INFINITY;
  return (
    <div className="ruler" aria-hidden="true">
      {rows.map(({ wave, start, text }) => {
        const at = start * zoom + offset;
        if (at < -40 || at > room || at - last < least) return null;
        last = at;
        const place = isDown ? `translateY(${Math.round(at + 6)}px)` : `translateX(${Math.round(at)}px)`;
        return (
          <div key={wave} style={{ transform: place }}>
            <b>{t.canvas.wave(wave)}</b>
            {zoom > 0.55 ? text : null}
          </div>
        );
      })}
    </div>
  );
});

type Row = { wave: number; start: number; ids: string[] };

function rowsOf({ layout, places }: Placing, isDown: boolean): Row[] {
  const rows = new Map<number, Row>();
  for (const [id, place] of places) {
    const wave = layout.waves.get(id) ?? 1;
    const start = isDown ? place.y : place.x;
    const row = rows.get(wave);
    if (!row) rows.set(wave, { wave, start, ids: [id] });
    else {
      row.start = Math.min(row.start, start);
      row.ids.push(id);
    }
  }
  return [...rows.values()].sort((a, b) => a.start - b.start);
}
