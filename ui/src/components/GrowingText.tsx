// A text that grows: one text node, bounded, its end in sight. It draws itself without React, however fast it comes.
import { useEffect, useRef } from "react";

type Props = { label: string; subscribe: (listener: (text: string) => void) => () => void; testId?: string };

/** What one can look at; the whole answer is there when it is whole. */
const MOST_SHOWN = 4000;

export function GrowingText({ label, subscribe, testId }: Props) {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    let frame = 0;
    let latest = "";
    const draw = () => {
      frame = 0;
      const pre = box.current;
      if (!pre) return;
      pre.textContent = latest.slice(-MOST_SHOWN);
      pre.hidden = latest === "";
      pre.scrollTop = pre.scrollHeight;
    };
    const stop = subscribe((text) => {
      latest = text;
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [subscribe]);
  // Not live: read out it would drown everything else.
  return (
    <pre ref={box} className="growing mono" aria-label={label} role="region" tabIndex={0} hidden data-testid={testId} />
  );
}
