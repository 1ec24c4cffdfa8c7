// Numbers, times and sizes as people read them, in the language of the window. The present time comes in from outside.
import { measures as german } from "./de/measures";
import { measures as english, type Measures } from "./en/measures";
import { language } from "./language";

function words(): Measures {
  return language() === "de" ? german : english;
}

/** Making one takes far longer than using it, and a plan asks for thousands of numbers at once. */
const FORMS = new Map<string, Intl.NumberFormat>();

function numbers(places: number | null): Intl.NumberFormat {
  const { locale } = words();
  const key = `${locale} ${places}`;
  const exact = { minimumFractionDigits: places ?? 0, maximumFractionDigits: places ?? 0, useGrouping: false };
  const form = FORMS.get(key) ?? new Intl.NumberFormat(locale, places === null ? {} : exact);
  FORMS.set(key, form);
  return form;
}

/** With so many digits after the point (or comma). */
export function digits(value: number, places: number): string {
  return numbers(places).format(value);
}

/** As it stands inside a sentence: English begins its names small there, German its nouns large as ever. */
export function inside(text: string): string {
  return language() === "en" ? text.toLowerCase() : text;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0:52`, `12:03`, `1:04:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const s = String(seconds % 60).padStart(2, "0");
  const m = Math.floor(seconds / 60) % 60;
  const h = Math.floor(seconds / 3600);
  return h > 0 ? `${h}:${String(m).padStart(2, "0")}:${s}` : `${m}:${s}`;
}

/** A short span with a unit: `84 ms`, `9.1 s`, `2 min`. */
export function span(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${digits(ms / SECOND, 1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`;
}

/** How long something took: `0.4 s` where seconds matter, else `1:41`. */
export function took(ms: number): string {
  return ms < 10 * SECOND ? span(ms) : clock(ms);
}

/** `now`, `22 min ago`, `today 14:05`, `yesterday 09:12`, `Tue 18:40`, `3 Nov 2026`. */
export function when(at: number | null, now: number): string {
  if (at === null) return "–";
  const passed = now - at;
  const w = words();
  if (passed < 10 * SECOND) return w.now;
  if (passed < MINUTE) return w.ago(`${Math.floor(passed / SECOND)} s`);
  if (passed < HOUR) return w.ago(`${Math.floor(passed / MINUTE)} min`);
  const time = timeOfDay(at).slice(0, 5);
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY);
  if (days === 0) return w.today(time);
  if (days === 1) return w.yesterday(time);
  if (days < 7) return `${new Date(at).toLocaleDateString(w.locale, { weekday: "short" })} ${time}`;
  return new Date(at).toLocaleDateString(w.locale === "en" ? "en-GB" : w.locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

/** Age alone: `22 min`. */
export function age(at: number | null, now: number): string {
  if (at === null) return "–";
  const passed = Math.max(0, now - at);
  return passed < 10 * SECOND ? words().now : passed < MINUTE ? `${Math.floor(passed / SECOND)} s` : span(passed);
}

/** `14:07:31`. */
export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour12: false });
}

function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${digits(count / 1024, count < 10240 ? 1 : 0)} KiB`;
  return `${digits(count / 1024 / 1024, 1)} MiB`;
}

/** Decimal dollars as text: `$0.050`, `$14.20`. Small sums keep the digits that tell them apart. */
export function money(usd: string): string {
  const value = Number(usd);
  if (!Number.isFinite(value)) return words().dollars(usd);
  return words().dollars(digits(value, value >= 1 ? 2 : value < 0.01 ? 4 : 3));
}

const RULES = new Map<string, Intl.PluralRules>();

function pluralOf(n: number): Intl.LDMLPluralRule {
  const { locale } = words();
  const rules = RULES.get(locale) ?? new Intl.PluralRules(locale);
  RULES.set(locale, rules);
  return rules.select(n);
}

/** `1 task`, `3 tasks`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${whole(n)} ${pluralOf(n) === "one" ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${words().and} ${items[items.length - 1]}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function either(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${words().or} ${items[items.length - 1]}`;
}

/** Makes characters that hide or turn text visible, so that a name can't pretend to be another (U+202E and the like). */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => `⟨U+${c.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Not the joiner inside of one emoji, such as a family: there it hides nothing. */
const HIDDEN =
  /(?<!\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D|\u200D(?!\p{Extended_Pictographic})|[\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Dollars as people read them: `$0.015`, `$1.62`, `free` for nothing. Takes decimal text and keeps small sums visible. */
export function dollars(usd: string): string {
  const value = Number(usd);
  if (!Number.isFinite(value)) return usd;
  const w = words();
  if (value === 0) return w.free;
  if (value < 0.001) return w.under(w.dollars(digits(0.001, 3)));
  return w.dollars(digits(value, value < 1 ? 3 : 2));
}

/** What calls came to: `free` only where that is known, `≥` where some calls are not in it, `–` where nothing was called. */
export function spentText(spent: { usd: string; zero: number; estimated: number; unknown: number }): string {
  if (spent.unknown > 0) return Number(spent.usd) === 0 ? words().unknown : `≥ ${dollars(spent.usd)}`;
  return dollars(spent.usd);
}

/** What a model costs for a million tokens, in and out. */
export function priceText(model: { isFree: boolean; price: { input: string; output: string } | null }): string {
  const w = words();
  const price = (usd: string) => w.dollars(w.locale === "en" ? cents(usd) : cents(usd).replace(".", ","));
  if (model.price) return `${price(model.price.input)} / ${price(model.price.output)}`;
  return model.isFree ? w.free : w.unknownPrice;
}

/** `0.5` → `0.50`; whole dollars stay whole, more digits stay. */
export function cents(usd: string): string {
  return /\.\d$/.test(usd) ? `${usd}0` : usd;
}

/** `3,412`. */
export function whole(n: number): string {
  return numbers(null).format(n);
}
