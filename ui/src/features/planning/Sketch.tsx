// A plan while the planner writes it: its tasks as cards, as soon as each is named. The answer itself is one click away.
import { ChevronRight, LoaderCircle } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { GrowingText } from "../../components/GrowingText";
import { onAnswer, watchAnswer } from "../../state/answer";
import { showPlanning } from "../../state/planning";
import { sketchCards } from "../../state/sketch";
import { useSketch } from "../../state/useSketch";
import { t } from "../../text";

const NOTHING_CHOSEN = { tasks: [], edge: null };

export function Sketch({ run }: { run: string }) {
  useEffect(() => watchAnswer(run, (view) => showPlanning(run, view)), [run]);
  const subscribe = useCallback((listener: (text: string) => void) => onAnswer(run, listener), [run]);
  const tasks = useSketch(subscribe);
  const drawn = useMemo(() => sketchCards(tasks), [tasks]);
  const canvas = useRef<CanvasHandle>(null);
  const count = tasks.length;
  // Each card that comes is in sight, unless a person has moved the view: then the canvas is theirs.
  useEffect(() => {
    if (count === 0) return;
    const frame = requestAnimationFrame(() => canvas.current?.fit());
    return () => cancelAnimationFrame(frame);
  }, [count]);
  return (
    <section aria-label={t.planning.sketch} className="sketch" data-testid="planning-sketch" data-count={count}>
      <div className="sketch-head">
        <h3 className="heading">{t.planning.sketch}</h3>
        <span className="sm t3 num" role="status">
          {count > 0 ? t.planning.sketchCount(count) : ""}
        </span>
      </div>
      <div className="sketch-canvas">
        {count > 0 ? (
          <PlanCanvas
            label={t.planning.sketch}
            tasks={drawn.tasks}
            edges={drawn.edges}
            selection={NOTHING_CHOSEN}
            onSelect={() => undefined}
            hasMap={false}
            handle={canvas}
          />
        ) : (
          <p className="sketch-none t3">
            <LoaderCircle className="icon tone-running spin" size={16} strokeWidth={1.75} aria-hidden="true" />
            {t.planning.sketchNone}
          </p>
        )}
      </div>
      <details className="sketch-raw">
        <summary data-testid="planning-raw">
          <ChevronRight className="icon t3 planner-turn" size={14} strokeWidth={1.75} aria-hidden="true" />
          {t.planning.growing}
        </summary>
        <GrowingText label={t.planning.growing} subscribe={subscribe} testId="planning-growing" />
      </details>
    </section>
  );
}
