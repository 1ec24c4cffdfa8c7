// Text being typed: shown at once, sent as one edit 800 ms after the last key, or when the field or the screen is left.
import { useEffect, useRef, useState } from "react";
import { registerUnsent } from "../../../state/draft";
import { beforeLeaving } from "../../../state/route";

const MERGE_MS = 800;

export type Typed = { text: string; type: (text: string) => void; flush: () => void };

/** `send` gets the last text. What the engine answers replaces it, unless more has been typed since. */
export function useTyped(value: string, send: (text: string) => unknown): Typed {
  const [text, setText] = useState(value);
  const unsent = useRef<string | null>(null);
  const timer = useRef(0);
  const latest = useRef(send);
  latest.current = send;
  // What the engine has or is about to have: the same again would be an edit that changes nothing.
  const known = useRef(value);

  useEffect(() => {
    known.current = value;
    if (unsent.current === null) setText(value);
  }, [value]);

  const flush = useRef(() => {
    window.clearTimeout(timer.current);
    const now = unsent.current;
    unsent.current = null;
    if (now === null || now === known.current) return;
    known.current = now;
    void latest.current(now);
  }).current;

  useEffect(() => {
    const stops = [registerUnsent(flush), beforeLeaving(flush)];
    return () => {
      flush();
      for (const stop of stops) stop();
    };
  }, [flush]);

  const type = (next: string) => {
    setText(next);
    unsent.current = next;
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(flush, MERGE_MS);
  };
  return { text, type, flush };
}
