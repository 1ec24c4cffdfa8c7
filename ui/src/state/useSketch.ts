// The tasks that an answer under way has named so far, read again as it grows.
import { useEffect, useState } from "react";
import { type Sketched, sketch } from "./sketch";

/** What comes faster is not looked at piece by piece. */
const PACE_MS = 150;

/** What the answer under way names. A new answer takes the place of the one before when it names its first task. */
export function useSketch(subscribe: (listener: (text: string) => void) => () => void): readonly Sketched[] {
  const [tasks, setTasks] = useState<readonly Sketched[]>([]);
  useEffect(() => {
    let latest = "";
    let timer = 0;
    const read = () => {
      timer = 0;
      const next = sketch(latest);
      if (next.length > 0) setTasks(next);
    };
    const stop = subscribe((text) => {
      latest = text;
      if (timer === 0) timer = window.setTimeout(read, PACE_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [subscribe]);
  return tasks;
}
