// How much of a trace is shown, the same for every task that is looked at.
import { create } from "zustand";

export type Detail = "brief" | "steps" | "raw";

export const useTrace = create<{ detail: Detail }>(() => ({ detail: "steps" }));

export function setDetail(detail: Detail): void {
  useTrace.setState({ detail });
}

/** Goes to the next step of the trace on show, or the one before; from nowhere to the newest. */
export function stepTrace(by: 1 | -1): boolean {
  const steps = [...document.querySelectorAll<HTMLElement>("[data-step]")];
  if (steps.length === 0) return false;
  const at = steps.findIndex((step) => step.contains(document.activeElement));
  const next = at < 0 ? steps.length - 1 : Math.min(steps.length - 1, Math.max(0, at + by));
  steps[next]?.focus();
  steps[next]?.scrollIntoView({ block: "nearest" });
  return true;
}
