// Keyboard shortcuts: one listener, keys by name. Silent while a person types or an input method composes.
import { useLayoutEffect, useRef } from "react";
import type { KeyPlace } from "../../text/en/keys";
import { shownFor, usualOf } from "./keymap";

/** `ctrl+shift+z`, `f8`, `a`, `?`, and two strokes as `g h`. Returning false lets the key go on. */
export type KeyMap = Record<string, (event: KeyboardEvent) => unknown>;

const STROKE_GAP_MS = 900;

export const isMac = typeof navigator !== "undefined" && /mac/i.test(navigator.platform ?? "");

/** How the shortcut that is usually this is printed now: `ctrl+shift+z` → `Ctrl Shift Z`, `⌘ ⇧ Z` on a Mac. */
export function printKeys(usual: string): string {
  return printStroke(shownFor(usual));
}

/** This very stroke. */
export function printStroke(keys: string): string {
  const names: Record<string, string> = {
    ctrl: isMac ? "⌘" : "Ctrl",
    shift: isMac ? "⇧" : "Shift",
    alt: isMac ? "⌥" : "Alt",
    enter: "↵",
    plus: "+",
    "-": "−",
    escape: "Esc",
    delete: "Del",
  };
  return keys
    .replace(/\+\+$/, "+plus")
    .split(/[+ ]/)
    .map(
      (part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1)),
    )
    .join(" ");
}

/** The key of an event in the map's spelling; null while composing, where no key may act (229 is WebKit's mark for it). */
export function keyOf(event: KeyboardEvent): string | null {
  if (event.isComposing || event.keyCode === 229) return null;
  const key = event.key.toLowerCase();
  if (key === "control" || key === "shift" || key === "alt" || key === "meta") return null;
  const ctrl = event.ctrlKey || event.metaKey ? "ctrl+" : "";
  const alt = event.altKey ? "alt+" : "";
  const isSign = key.length === 1 && !/[a-z0-9 ]/.test(key);
  const digit = event.shiftKey && /^Digit\d$/.test(event.code) ? event.code.slice(5) : null;
  const shift = event.shiftKey && (!isSign || digit) ? "shift+" : "";
  return `${ctrl}${alt}${shift}${digit ?? (key === " " ? "space" : key)}`;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // Into a box that is ticked nobody types.
  if (target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function isPlain(key: string): boolean {
  return !key.startsWith("ctrl+") && !/^(alt\+)?(shift\+)?f\d+$/.test(key) && key !== "escape";
}

/** A dialog or an open list has the keyboard for itself, from the moment it opens, before it has the focus. */
function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('.dialog[data-open], .popup[role="menu"][data-open], .add-menu') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.closest('[role="dialog"],[role="alertdialog"],[role="listbox"],[role="menu"]') !== null
  );
}

/** The last stroke, shared by all listeners: after `g` the next letter belongs to the pair, not to a screen's own key. */
const stroke = { event: null as KeyboardEvent | null, key: "", at: 0, before: "" };
const FIRST_OF_PAIR = "g";

function pairOf(event: KeyboardEvent, key: string): string | null {
  if (stroke.event !== event) {
    stroke.before = event.timeStamp - stroke.at < STROKE_GAP_MS ? stroke.key : "";
    Object.assign(stroke, { event, key, at: event.timeStamp });
  }
  return stroke.before === FIRST_OF_PAIR ? `${FIRST_OF_PAIR} ${key}` : null;
}

/** The place is the one under which the settings name these keys, so that a person's own keys reach them. */
export function useKeys(map: KeyMap, place: KeyPlace, enabled = true): void {
  const latest = useRef(map);
  latest.current = map;
  // With the picture, not after it: whoever sees what the key is for may press it at once.
  useLayoutEffect(() => {
    if (!enabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const key = keyOf(event);
      if (key === null || event.defaultPrevented || isElsewhere(event.target)) return;
      if (isTyping(event.target) && (isPlain(key) || isTextKey(key))) return;
      const usual = usualOf(place, pairOf(event, key) ?? key);
      const act = usual === null ? undefined : latest.current[usual];
      if (act && act(event) !== false) event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [place, enabled]);
}

/** Keys that belong to the text being typed. */
function isTextKey(key: string): boolean {
  return /^ctrl\+(shift\+)?[acvxz]$/.test(key);
}
