// Ranges as people read them: `$0.10 – 0.24`, `3 – 5 min`, `≥ 20 s`, `unknown`. Pure; what is not known is never nothing.
import type { MoneyRange, NumberRange } from "../ipc/bindings";
import { digits, dollars } from "./format";
import { t } from "./index";

const DASH = "\u2009–\u2009";
const MINUTE = 60;
const HOUR = 3600;

export function moneyRange({ low, high }: MoneyRange): string {
  if (high === null) return Number(low) === 0 ? t.estimate.unknown : `≥ ${dollars(low)}`;
  if (Number(high) === 0) return t.estimate.free;
  const [from, to] = [dollars(low), dollars(high)];
  if (from === to) return `≈ ${to}`;
  // The sign is said once, where the language has it.
  if (to.endsWith("$")) return `${Number(low) === 0 ? "0" : from.replace(/\s?\$$/, "")}${DASH}${to}`;
  return Number(low) === 0 ? `$0${DASH}${bare(to)}` : `${from}${DASH}${bare(to)}`;
}

/** The one number that stands for a range where there is little room; null where nobody knows. */
export function likelyMoney({ likely, high }: MoneyRange): string | null {
  if (likely === null) return null;
  return high !== null && Number(high) === 0 ? t.estimate.free : dollars(likely);
}

export function timeRange({ low, high }: NumberRange): string {
  if (high === null) return low === 0 ? t.estimate.unknown : `≥ ${seconds(low)}`;
  const unit = unitOf(high);
  const [from, to] = [inUnit(low, unit), inUnit(high, unit)];
  return from === to ? `≈ ${to} ${unit}` : `${from}${DASH}${to} ${unit}`;
}

export function likelyTime({ likely }: NumberRange): string | null {
  return likely === null ? null : `≈ ${seconds(likely)}`;
}

/** `1 – 12`, `about 40`, `≥ 3`. */
export function countRange({ low, high }: NumberRange): string {
  if (high === null) return low === 0 ? t.estimate.unknown : `≥ ${short(low)}`;
  return low === high ? short(low) : `${short(low)}${DASH}${short(high)}`;
}

/** `0.4 s`, `50 s`, `3 min`, `1.5 h`. */
export function seconds(value: number): string {
  const unit = unitOf(value);
  return `${inUnit(value, unit)} ${unit}`;
}

/** `840`, `12k`, `1.2M`. */
export function short(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 10_000) return `${tenths(n / 1000)}k`;
  if (n < 1_000_000) return `${Math.round(n / 1000)}k`;
  return `${tenths(n / 1_000_000)}M`;
}

/** With one digit after the point or comma, where that says anything. */
function tenths(n: number): string {
  return digits(n, 1).replace(/[.,]0$/, "");
}

type Unit = "ms" | "s" | "min" | "h";

function unitOf(value: number): Unit {
  if (value < 0.1) return "ms";
  if (value < 2 * MINUTE) return "s";
  return value < 2 * HOUR ? "min" : "h";
}

const UNITS: Record<Unit, number> = { ms: 0.001, s: 1, min: MINUTE, h: HOUR };

function inUnit(value: number, unit: Unit): string {
  const n = value / UNITS[unit];
  return n < 10 && unit !== "ms" ? tenths(n) : String(Math.round(n));
}

function bare(text: string): string {
  return text.startsWith("$") ? text.slice(1) : text;
}
