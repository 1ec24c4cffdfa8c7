// The ruler at the left: the number of each wave beside its row of cards. Only the rows in view are drawn.
import { useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import { t } from "../../text";
import type { Placing } from "./flow";

const LEAST_DISTANCE = 26;

type Props = {
  placing: Placing;
  /** What is said of the tasks of a wave; else how many they are. */
  note?: (ids: readonly string[]) => string | null;
};

export const WaveRuler = memo(function WaveRuler({ placing, note }: Props) {
  const zoom = useStore((s) => s.transform[2]);
  const offset = useStore((s) => s.transform[1]);
  const height = useStore((s) => s.height);
  const rows = useMemo(
    () => rowsOf(placing).map((row) => ({ ...row, text: note?.(row.ids) ?? t.canvas.atOnce(row.ids.length) })),
    [placing, note],
  );
  let last = Number.NEGATIVE_INFINITY;
  return (
    <div className="ruler" aria-hidden="true">
      {rows.map(({ wave, y, text }) => {
        const top = y * zoom + offset;
        if (top < -40 || top > height || top - last < LEAST_DISTANCE) return null;
        last = top;
        return (
          <div key={wave} style={{ transform: `translateY(${Math.round(top + 6)}px)` }}>
            <b>{t.canvas.wave(wave)}</b>
            {zoom > 0.55 ? text : null}
          </div>
        );
      })}
    </div>
  );
});

type Row = { wave: number; y: number; ids: string[] };

function rowsOf({ layout, places }: Placing): Row[] {
  const rows = new Map<number, Row>();
  for (const [id, place] of places) {
    const wave = layout.waves.get(id) ?? 1;
    const row = rows.get(wave);
    if (!row) rows.set(wave, { wave, y: place.y, ids: [id] });
    else {
      row.y = Math.min(row.y, place.y);
      row.ids.push(id);
    }
  }
  return [...rows.values()].sort((a, b) => a.y - b.y);
}
