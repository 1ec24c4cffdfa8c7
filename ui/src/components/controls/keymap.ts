// Which keys a person has put in the place of the usual ones. A key is known by its usual name and the place where it works;
// screens go on speaking of the usual ones. It knows no settings file.
import { create } from "zustand";
import { KEYS, type KeyPlace } from "../../text/en/keys";

/** `plan a` → `shift+a`. */
export type OwnKeys = Readonly<Record<string, string>>;

export const useKeymap = create<{ own: OwnKeys }>(() => ({ own: {} }));

/** They belong to lists, fields, the clipboard and the system, and so to nobody else. */
const FIXED = new Set(
  "escape tab shift+tab enter space delete backspace shift+f10 contextmenu ctrl+a ctrl+c ctrl+x ctrl+v alt+tab alt+f4".split(
    " ",
  ),
);
const ARROWS = /^(ctrl\+)?(alt\+)?(shift\+)?arrow(up|down|left|right)$|^(alt\+)?(shift\+)?[↑↓←→]$/;
/** Second names of the same act, which stay where they are. */
const TAKEN: Partial<Record<KeyPlace, readonly string[]>> = {
  canvas: ["ctrl+="],
  plan: ["ctrl+y", "ctrl+h"],
  run: ["ctrl+shift+>"],
  review: ["="],
};
/** It begins pairs of strokes. */
const FIRST_OF_PAIR = "g";

const nameOf = (place: KeyPlace, usual: string) => `${place} ${usual}`;

export function isFixed(place: KeyPlace, usual: string): boolean {
  return FIXED.has(usual) || ARROWS.test(usual) || place === "home";
}

/** What has to be pressed for what is usually this. */
export function bound(place: KeyPlace, usual: string): string {
  return useKeymap.getState().own[nameOf(place, usual)] ?? usual;
}

/** The usual name of what was pressed; null where the key has been given away here. */
export function usualOf(place: KeyPlace, pressed: string): string | null {
  const { own } = useKeymap.getState();
  const start = `${place} `;
  for (const [name, key] of Object.entries(own)) {
    if (key === pressed && name.startsWith(start)) return name.slice(start.length);
  }
  return nameOf(place, pressed) in own ? null : pressed;
}

const SEEN: Record<string, readonly KeyPlace[]> = {
  plan: ["plan", "canvas"],
  approve: ["approve", "canvas"],
  run: ["run", "waiting", "canvas"],
  review: ["review", "canvas"],
  compare: ["compare"],
  replan: ["replan", "canvas"],
  waiting: ["waiting"],
};
let seen: readonly KeyPlace[] = [];

/** The screen whose keys are printed from now on. */
export function lookAt(screen: string): void {
  seen = SEEN[screen] ?? [];
}

/** What stands on a button whose key is usually this. */
export function shownFor(usual: string): string {
  const { own } = useKeymap.getState();
  for (const place of [...seen, "anywhere" as const]) {
    const key = own[nameOf(place, usual)];
    if (key !== undefined) return key;
  }
  return usual;
}

function meet(a: KeyPlace, b: KeyPlace): boolean {
  if (a === b || a === "anywhere" || b === "anywhere") return true;
  const pair = [a, b].sort().join(" ");
  return ["approve canvas", "canvas plan", "canvas replan", "canvas review", "canvas run", "run waiting"].includes(
    pair,
  );
}

export type Refusal = { why: "fixed" | "pair" } | { why: "taken"; text: string };

/** Why this key can't stand for that act; null if it can. */
export function refusalOf(place: KeyPlace, usual: string, key: string): Refusal | null {
  if (isFixed(place, key)) return { why: "fixed" };
  if (key === FIRST_OF_PAIR) return { why: "pair" };
  for (const group of KEYS) {
    if (!meet(place, group.place)) continue;
    for (const [keys, text] of group.keys) {
      const isTaken = keys.some((k) => !(group.place === place && k === usual) && bound(group.place, k) === key);
      if (isTaken) return { why: "taken", text };
    }
  }
  const other = Object.entries(TAKEN).some(([at, keys]) => meet(place, at as KeyPlace) && keys.includes(key));
  return other ? { why: "fixed" } : null;
}

/** With this key in the place of the usual one; null or the usual one itself brings that back. */
export function rebound(own: OwnKeys, place: KeyPlace, usual: string, key: string | null): OwnKeys {
  const { [nameOf(place, usual)]: _, ...rest } = own;
  return key === null || key === usual ? rest : { ...rest, [nameOf(place, usual)]: key };
}

const SHAPE = /^(anywhere|canvas|plan|approve|run|replan|review|compare|waiting) \S{1,30}( \S)?$/;

/** What a settings file says of keys, as far as it can be meant. */
export function readOwnKeys(raw: unknown): OwnKeys {
  if (typeof raw !== "object" || raw === null) return {};
  const known = Object.entries(raw as Record<string, unknown>).filter(
    (entry): entry is [string, string] =>
      SHAPE.test(entry[0]) && typeof entry[1] === "string" && /^\S{1,30}$/.test(entry[1]),
  );
  return Object.fromEntries(known.slice(0, 200));
}
