// The ruler at the left: the number of each wave beside its row of cards. Only the rows in view are drawn.
import { useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import { t } from "../../text";
import type { Placing } from "./flow";

const LEAST_DISTANCE = 26;

export const WaveRuler = memo(function WaveRuler({ placing }: { placing: Placing }) {
  const zoom = useStore((s) => s.transform[2]);
  const offset = useStore((s) => s.transform[1]);
  const height = useStore((s) => s.height);
  const rows = useMemo(() => rowsOf(placing), [placing]);
  let last = Number.NEGATIVE_INFINITY;
  return (
    <div className="ruler" aria-hidden="true">
      {rows.map(({ wave, y, count }) => {
        const top = y * zoom + offset;
        if (top < -40 || top > height || top - last < LEAST_DISTANCE) return null;
        last = top;
        return (
          <div key={wave} style={{ transform: `translateY(${Math.round(top + 6)}px)` }}>
            <b>{t.canvas.wave(wave)}</b>
            {zoom > 0.55 ? t.canvas.atOnce(count) : null}
          </div>
        );
      })}
    </div>
  );
});

function rowsOf({ layout, places }: Placing): { wave: number; y: number; count: number }[] {
  const rows = new Map<number, { wave: number; y: number; count: number }>();
  for (const [id, place] of places) {
    const wave = layout.waves.get(id) ?? 1;
    const row = rows.get(wave);
    if (!row) rows.set(wave, { wave, y: place.y, count: 1 });
    else {
      row.y = Math.min(row.y, place.y);
      row.count += 1;
    }
  }
  return [...rows.values()].sort((a, b) => a.y - b.y);
}
