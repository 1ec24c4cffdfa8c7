// What stood at a place of a task's output in the newest run of this plan: a look at the real thing while mapping.
import { useMemo } from "react";
import { at, tryParse } from "../../../ipc/json";
import { useLastOutput } from "../../../state/laid";
import { t } from "../../../text";
import { age, visible } from "../../../text/format";
import { shortValue } from "../rules/outputs";
import { useTask } from "./context";

export function LastValue({ name, from, path }: { name: string; from: string; path: string }) {
  const { view } = useTask();
  const last = useLastOutput(view.run, from);
  const whole = useMemo(() => tryParse(last?.json), [last]);
  if (!last || whole === undefined) return null;
  const value = at(whole, path);
  return (
    <p className="last-value xs t3 row" data-testid={`last-${name}`}>
      <span className="nowrap">{t.trying.lastValue(age(last.at, Date.now()))}</span>
      <span className="mono el t2">{value === undefined ? t.trying.lastNothing : visible(shortValue(value))}</span>
    </p>
  );
}
