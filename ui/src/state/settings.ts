// What a person has set: theme, motion, text size, panels. Read once at the start, written through at each change.
import { create } from "zustand";
import { type Direction, useDirection } from "../components/canvas/direction";
import { type OwnKeys, readOwnKeys, rebound, useKeymap } from "../components/controls/keymap";
import { host, type Settings } from "../ipc/host";
import { speak } from "../text";
import type { KeyPlace } from "../text/en/keys";
import { LANGUAGES, type Language, type LanguageChoice, spoken } from "../text/language";
import { beginGoals, followCaps, isMinutes, isMoney } from "./goal";
import { notifyFault } from "./notices";

export type Theme = "system" | "dark" | "light";
export type PlanView = "canvas" | "list";
export type Motion = "system" | "less";

export const TEXT_SIZES = [90, 100, 110, 125, 150, 175, 200] as const;

/** Sizes and open states of the panels, by stage. */
export type PanelKey =
  | "plan.left"
  | "plan.right"
  | "approve.right"
  | "run.right"
  | "run.bottom"
  | "replan.right"
  | "review.right"
  | "review.bottom"
  | "compare.left"
  | "waiting.left"
  | "waiting.right";
export type PanelState = { size: number; open: boolean };

type State = {
  theme: Theme;
  motion: Motion;
  textSize: number;
  /** Told by the system while the window is not in front. */
  notifications: boolean;
  language: LanguageChoice;
  /** Which way plans run on the canvas. */
  direction: Direction;
  /** How a plan is shown that is opened anew. */
  planView: PlanView;
  panels: Partial<Record<PanelKey, PanelState>>;
  /** What new goals begin with: dollars and minutes as typed; "" is none. */
  goalCap: string;
  goalMinutes: string;
  /** Keys that a person has put in the place of the usual ones. */
  keys: OwnKeys;
  loaded: boolean;
};

export const useSettings = create<State>(() => ({
  theme: "system",
  motion: "system",
  textSize: 100,
  notifications: true,
  language: "system",
  direction: "down",
  planView: "canvas",
  panels: {},
  goalCap: "",
  goalMinutes: "",
  keys: {},
  loaded: false,
}));

export async function loadSettings(): Promise<void> {
  try {
    useSettings.setState({ ...readSettings(await host().loadSettings()), loaded: true });
  } catch (thrown) {
    useSettings.setState({ loaded: true });
    notifyFault(thrown);
  }
  applySettings(useSettings.getState());
  beginGoals(useSettings.getState());
  useKeymap.setState({ own: useSettings.getState().keys });
}

/** Only known values are taken; anything else in the file stays as it is there and the default holds here. */
export function readSettings(raw: Settings): Partial<State> {
  const read: Partial<State> = {};
  if (raw.theme === "dark" || raw.theme === "light" || raw.theme === "system") read.theme = raw.theme;
  if (raw.motion === "less" || raw.motion === "system") read.motion = raw.motion;
  if (typeof raw.textSize === "number" && raw.textSize >= 90 && raw.textSize <= 200) read.textSize = raw.textSize;
  if (typeof raw.notifications === "boolean") read.notifications = raw.notifications;
  if (raw.direction === "down" || raw.direction === "right") read.direction = raw.direction;
  if (raw.planView === "canvas" || raw.planView === "list") read.planView = raw.planView;
  if (raw.language === "system" || LANGUAGES.includes(raw.language as Language))
    read.language = raw.language as LanguageChoice;
  if (typeof raw.panels === "object" && raw.panels !== null)
    read.panels = readPanels(raw.panels as Record<string, unknown>);
  if (typeof raw.goalCap === "string" && isMoney(raw.goalCap)) read.goalCap = raw.goalCap.trim();
  if (typeof raw.goalMinutes === "string" && isMinutes(raw.goalMinutes)) read.goalMinutes = raw.goalMinutes.trim();
  read.keys = readOwnKeys(raw.keys);
  return read;
}

function readPanels(raw: Record<string, unknown>): State["panels"] {
  const panels: State["panels"] = {};
  for (const [key, value] of Object.entries(raw)) {
    const panel = value as Partial<PanelState> | null;
    if (typeof panel?.size === "number" && typeof panel.open === "boolean")
      panels[key as PanelKey] = { size: panel.size, open: panel.open };
  }
  return panels;
}

export function change<
  K extends "theme" | "motion" | "textSize" | "notifications" | "language" | "direction" | "planView",
>(name: K, value: State[K]): void {
  // The words first: whoever hears of the change draws with them.
  applySettings({ ...useSettings.getState(), [name]: value });
  useSettings.setState({ [name]: value } as Pick<State, K>);
  keep(name, value);
}

/** What new goals begin with; the one that is being written follows where it still has what they began with. */
export function setGoalCaps(caps: Pick<State, "goalCap" | "goalMinutes">): void {
  const before = useSettings.getState();
  useSettings.setState(caps);
  followCaps(before, caps);
  keep("goalCap", caps.goalCap);
  keep("goalMinutes", caps.goalMinutes);
}

/** Puts a key in the place of the usual one; null brings that back. */
export function setKey(place: KeyPlace, usual: string, key: string | null): void {
  setKeys(rebound(useSettings.getState().keys, place, usual, key));
}

export function setKeys(keys: OwnKeys): void {
  useSettings.setState({ keys });
  useKeymap.setState({ own: keys });
  keep("keys", keys);
}

/** `keepIt` is false while the edge is still being dragged. */
export function setPanel(key: PanelKey, panel: PanelState, keepIt = true): void {
  const panels = { ...useSettings.getState().panels, [key]: panel };
  useSettings.setState({ panels });
  if (keepIt) keep("panels", panels);
}

function keep(name: string, value: unknown): void {
  host().saveSetting(name, value).catch(notifyFault);
}

const prefers = (query: string) => typeof window !== "undefined" && (window.matchMedia?.(query).matches ?? false);

type Looks = Pick<State, "theme" | "motion" | "textSize" | "language" | "direction">;

/** The page follows the settings, and the system where they say so; at run time too. */
export function applySettings({ theme, motion, textSize, language, direction }: Looks): void {
  useDirection.setState({ direction });
  const root = document.documentElement;
  const spokenNow = spoken(language, navigator.languages ?? []);
  speak(spokenNow);
  root.lang = spokenNow;
  root.dataset.theme = theme === "system" ? (prefers("(prefers-color-scheme: light)") ? "light" : "dark") : theme;
  root.dataset.motion = motion === "less" || prefers("(prefers-reduced-motion: reduce)") ? "less" : "full";
  root.style.fontSize = textSize === 100 ? "" : `${(16 * textSize) / 100}px`;
}

export function followSystem(): () => void {
  const apply = () => applySettings(useSettings.getState());
  const queries = ["(prefers-color-scheme: light)", "(prefers-reduced-motion: reduce)"].map((q) =>
    window.matchMedia(q),
  );
  for (const query of queries) query.addEventListener("change", apply);
  return () => {
    for (const query of queries) query.removeEventListener("change", apply);
  };
}
