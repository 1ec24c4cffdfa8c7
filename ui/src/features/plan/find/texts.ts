// Finding and replacing in what a person wrote: titles, instructions, inputs, code. Ids, kinds and references are left
// alone, since replacing in those would break the plan unseen. Pure.
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import { isObject, type Json, type JsonObject, objectOf, print, put, step, steps, tryParse } from "../../../ipc/json";

export type Found = {
  task: string;
  /** JSON Pointer inside the task. */
  field: string;
  text: string;
  /** Where in the text each hit begins and ends. */
  hits: readonly (readonly [number, number])[];
};

export type Wanted = { text: string; matchCase: boolean; wholeWord: boolean };

/** Fields whose texts name something instead of saying something. */
const NAMES = new Set([
  "id",
  "task_type",
  "dependencies",
  "tool",
  "tools",
  "model",
  "fallback",
  "over",
  "approval",
  "layout",
]);
const MOST = 2000;

export function findAll(view: DraftView, wanted: Wanted): Found[] {
  const pattern = patternOf(wanted);
  if (!pattern) return [];
  const found: Found[] = [];
  for (const task of view.tasks) {
    walk(objectOf(tryParse(task.document)), "", (field, text) => {
      const hits = [...text.matchAll(pattern)].map((m) => [m.index, m.index + m[0].length] as const);
      if (hits.length > 0 && found.length < MOST) found.push({ task: task.id, field, text, hits });
    });
  }
  return found;
}

function patternOf({ text, matchCase, wholeWord }: Wanted): RegExp | null {
  if (text === "") return null;
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const whole = wholeWord ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
  return new RegExp(whole, matchCase ? "gu" : "giu");
}

function walk(value: Json, pointer: string, see: (pointer: string, text: string) => void): void {
  if (typeof value === "string") see(pointer, value);
  else if (Array.isArray(value)) value.forEach((item, ix) => void walk(item, `${pointer}/${ix}`, see));
  else if (isObject(value)) {
    // A reference, such as `$from`, names something.
    if (Object.keys(value).some((key) => key.startsWith("$") && key !== "$template" && key !== "$literal")) return;
    for (const [key, item] of Object.entries(value)) if (!NAMES.has(key)) walk(item, pointer + step(key), see);
  }
}

/** All found places with the text replaced: one step of undo. */
export function replaceEdits(view: DraftView, found: readonly Found[], by: string): PlanEdit[] {
  const byTask = new Map<string, Found[]>();
  for (const one of found) byTask.set(one.task, [...(byTask.get(one.task) ?? []), one]);
  return [...byTask].flatMap(([id, places]) => {
    const before = objectOf(tryParse(view.tasks.find((task) => task.id === id)?.document));
    const after = places.reduce<Json>((now, place) => put(now, place.field, replaced(place, by)), before);
    const fields = [...new Set(places.map((place) => steps(place.field)[0] ?? ""))];
    return fields.map((field) => ({
      setTask: { id, field: step(field), value: print((after as JsonObject)[field] ?? null) },
    }));
  });
}

export function replaced({ text, hits }: Pick<Found, "text" | "hits">, by: string): string {
  let out = "";
  let from = 0;
  for (const [start, end] of hits) {
    out += text.slice(from, start) + by;
    from = end;
  }
  return out + text.slice(from);
}
