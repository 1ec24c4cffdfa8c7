// Playback: the run as a film, at 1 to 16 times its speed. It ends at the end, and at once when the person takes over.
import { useEffect, useRef, useState } from "react";
import { placeOf, seqAt } from "./axis";
import { beginningOf } from "./rows";
import { goTo, useReview } from "./store";

export const SPEEDS = [1, 2, 4, 8, 16] as const;
export type Speed = (typeof SPEEDS)[number];

/** No more moments a second than can be looked at. */
const FRAME_MS = 50;

export type Playback = {
  isPlaying: boolean;
  speed: Speed;
  setSpeed: (speed: Speed) => void;
  toggle: () => void;
  stop: () => void;
};

export function usePlayback(): Playback {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(4);
  const shown = useRef(0);
  useEffect(() => {
    if (!isPlaying) return;
    const { axis, seq } = useReview.getState();
    if (!axis) return;
    let place = placeOf(axis, seq);
    let last = performance.now();
    shown.current = seq;
    const timer = window.setInterval(() => {
      const now = performance.now();
      const state = useReview.getState();
      if (!state.axis || !state.line) return;
      // Somebody has gone elsewhere.
      if (state.seq !== shown.current) place = placeOf(state.axis, state.seq);
      place += (now - last) * speed;
      last = now;
      const next = Math.min(state.line.head, seqAt(state.axis, place));
      shown.current = Math.max(state.seq, next);
      goTo(shown.current);
      if (shown.current >= state.line.head) setPlaying(false);
    }, FRAME_MS);
    return () => window.clearInterval(timer);
  }, [isPlaying, speed]);
  return {
    isPlaying,
    speed,
    setSpeed,
    stop: () => setPlaying(false),
    toggle: () => {
      const { line, seq } = useReview.getState();
      // From the end it begins again.
      if (!isPlaying && line && seq >= line.head) goTo(beginningOf(line.ticks));
      setPlaying(!isPlaying);
    },
  };
}
