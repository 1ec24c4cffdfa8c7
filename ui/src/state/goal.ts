// The goal that is being written on Home, with what goes along with it. Kept for the session, so that a reload or a start
// that fails loses no word.
import { create } from "zustand";
import type { GoalAsked } from "../ipc/bindings";
import { host } from "../ipc/host";
import { attempt } from "./notices";

export type Attached = { path: string; isFolder: boolean };

export type Goal = {
  text: string;
  /** Tools that the plan may use; null: all, also those that come later. */
  tools: string[] | null;
  /** Dollars as typed; "" is no cap. */
  cap: string;
  /** Minutes as typed; "" is no limit. */
  minutes: string;
  /** Nothing of them is read before the plan is approved. */
  files: Attached[];
};

const KEY = "planloom.goal";
const NOTHING: Goal = { text: "", tools: null, cap: "", minutes: "", files: [] };

export const useGoal = create<Goal>(() => readKept());

/** Read again from the session, as after a reload. */
export function readKept(): Goal {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(KEY) ?? "null") as Partial<Goal> | null;
    const texts = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === "string");
    return {
      text: typeof kept?.text === "string" ? kept.text : "",
      tools: texts(kept?.tools) ? (kept?.tools ?? null) : null,
      cap: typeof kept?.cap === "string" ? kept.cap : "",
      minutes: typeof kept?.minutes === "string" ? kept.minutes : "",
      files: (Array.isArray(kept?.files) ? kept.files : []).filter((file) => typeof file?.path === "string"),
    };
  } catch {
    return NOTHING;
  }
}

/** What new goals begin with. */
export type Caps = { goalCap: string; goalMinutes: string };

/** At the start of the window; a goal that was being written keeps what it had. */
export function beginGoals({ goalCap, goalMinutes }: Caps): void {
  try {
    if (window.sessionStorage.getItem(KEY) !== null) return;
  } catch {
    // Nothing was kept, then.
  }
  useGoal.setState({ cap: goalCap, minutes: goalMinutes });
}

/** Others begin with other caps now. */
export function followCaps(before: Caps, now: Caps): void {
  const { cap, minutes } = useGoal.getState();
  const next = {
    ...(cap === before.goalCap ? { cap: now.goalCap } : {}),
    ...(minutes === before.goalMinutes ? { minutes: now.goalMinutes } : {}),
  };
  if (Object.keys(next).length > 0) changeGoal(next);
}

export function changeGoal(part: Partial<Goal>): void {
  useGoal.setState(part);
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(useGoal.getState()));
  } catch {
    // A window without storage still takes goals; they only don't outlive a reload.
  }
}

/** The words and files are done with; tools, cap and time are kept for the next goal. */
export function goalTaken(): void {
  changeGoal({ text: "", files: [] });
}

export const isMoney = (text: string) => text.trim() === "" || (/^\d{1,6}(\.\d{1,4})?$/.test(text.trim()) && +text > 0);
export const isMinutes = (text: string) => text.trim() === "" || (/^\d{1,5}$/.test(text.trim()) && +text > 0);

export function isReady(goal: Goal): boolean {
  return goal.text.trim() !== "" && isMoney(goal.cap) && isMinutes(goal.minutes);
}

/** As the engine takes it. Files become parameters that name a path, with a grant to read exactly that. */
export function asked(goal: Goal): GoalAsked {
  const names = parameterNames(goal.files.map((file) => file.path));
  const parameters = goal.files.map(({ path }, ix) => {
    const schema = { type: "string", title: fileName(path), default: path };
    return [names[ix] ?? path, schema] as const;
  });
  const grants = { read: goal.files.map(entryOf) };
  return {
    text: goal.text.trim(),
    tools: goal.tools,
    parametersJson: parameters.length > 0 ? JSON.stringify(Object.fromEntries(parameters)) : null,
    grantsJson: goal.files.length > 0 ? JSON.stringify(grants) : null,
    budgetJson: budgetOf(goal),
    mayAsk: true,
    model: null,
  };
}

/** Numbers go as they were typed, not through a float. */
function budgetOf({ cap, minutes }: Goal): string | null {
  const parts = [
    ...(cap.trim() ? [`"usd":${cap.trim().replace(/^0+(?=\d)/, "")}`] : []),
    ...(minutes.trim() ? [`"seconds":${Number(minutes) * 60}`] : []),
  ];
  return parts.length > 0 ? `{${parts.join(",")}}` : null;
}

/**
 * Exactly that file, or all that lies in that folder. Grants are read as globs; a class of one sign is that sign and no
 * other.
 */
function entryOf({ path, isFolder }: Attached): string {
  const literal = path.replace(/[*?[\]{}]/g, (sign) => `[${sign}]`);
  return isFolder && !/[\\/]$/.test(literal) ? `${literal}/` : literal;
}

export async function attach(isFolder: boolean): Promise<void> {
  const chosen = await attempt(() => host().chooseAttachments(isFolder));
  const { files } = useGoal.getState();
  const fresh = (chosen ?? []).filter((path) => !files.some((file) => file.path === path));
  if (fresh.length > 0) changeGoal({ files: [...files, ...fresh.map((path) => ({ path, isFolder }))] });
}

export function fileName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

/** `Price list (new).csv` → `price_list_new`; numbered where two are alike. */
export function parameterNames(paths: readonly string[]): string[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const base = snake(fileName(path).replace(/(?<=.)\.[^.]*$/, ""));
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
    taken.add(name);
    return name;
  });
}

const LONGEST_NAME = 40;

function snake(text: string): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, LONGEST_NAME);
  return /^[a-z]/.test(words) ? words : words ? `file_${words}` : "file";
}
