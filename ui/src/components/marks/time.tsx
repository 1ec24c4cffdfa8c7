// Times that move by themselves: counting up, counting down, and the thin line of a wait. Each ticks alone.
import { useEffect, useState } from "react";
import { t } from "../../text";
import { clock } from "../../text/format";

/** The present time, renewed while the component is there. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Elapsed({ since }: { since: number }) {
  const now = useNow(1000);
  return <span className="num">{clock(now - since)}</span>;
}

/** `next in 3 s`; says `now` when the time has come. */
export function CountDown({ until, prefix }: { until: number; prefix?: string }) {
  const now = useNow(250);
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <span className="num">
      {left === 0 ? (prefix ?? t.time.anyMoment) : `${prefix ? `${prefix} ` : ""}${t.time.inSeconds(left)}`}
    </span>
  );
}

/** How much of the wait is left, as a line that shrinks by scale alone. */
export function WaitLine({ until }: { until: number }) {
  const [whole] = useState(() => Math.max(1, until - Date.now()));
  const now = useNow(250);
  const left = Math.min(1, Math.max(0, (until - now) / whole));
  return <i className="wait-line" style={{ transform: `scaleX(${left})` }} />;
}
