// The ruler at the left (or on top): the number of each wave beside its row of cards. Only the rows in view are drawn.
import { useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import { t } from "../../text";
import { useDirection } from "./direction";
import type { Placing } from "./flow";

const LEAST_DISTANCE = 26;
const LEAST_ACROSS = 64;

export const WaveRuler = memo(function WaveRuler({ placing }: { placing: Placing }) {
  const isDown = useDirection((s) => s.direction === "down");
  const zoom = useStore((s) => s.transform[2]);
  const offset = useStore((s) => s.transform[isDown ? 1 : 0]);
  const room = useStore((s) => (isDown ? s.height : s.width));
  const rows = useMemo(() => rowsOf(placing, isDown), [placing, isDown]);
  const least = isDown ? LEAST_DISTANCE : LEAST_ACROSS;
  let last = Number.NEGATIVE_INFINITY;
  return (
    <div className="ruler" aria-hidden="true">
      {rows.map(({ wave, start, count }) => {
        const at = start * zoom + offset;
        if (at < -40 || at > room || at - last < least) return null;
        last = at;
        const place = isDown ? `translateY(${Math.round(at + 6)}px)` : `translateX(${Math.round(at)}px)`;
        return (
          <div key={wave} style={{ transform: place }}>
            <b>{t.canvas.wave(wave)}</b>
            {zoom > 0.55 ? t.canvas.atOnce(count) : null}
          </div>
        );
      })}
    </div>
  );
});

function rowsOf({ layout, places }: Placing, isDown: boolean): { wave: number; start: number; count: number }[] {
  const rows = new Map<number, { wave: number; start: number; count: number }>();
  for (const [id, place] of places) {
    const wave = layout.waves.get(id) ?? 1;
    const start = isDown ? place.y : place.x;
    const row = rows.get(wave);
    if (!row) rows.set(wave, { wave, start, count: 1 });
    else {
      row.start = Math.min(row.start, start);
      row.count += 1;
    }
  }
  return [...rows.values()].sort((a, b) => a.start - b.start);
}
