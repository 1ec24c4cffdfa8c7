// The tasks that a planner has named so far, out of an answer that is still being written. Pure, and forgiving: what comes is
// a model's words, and the engine alone judges them when they are whole.
import type { CanvasEdge, CanvasTask } from "../components/canvas/model";
import { type Partial, readPartial } from "../ipc/partial";
import { t } from "../text";

export type Sketched = {
  id: string;
  title: string;
  kind: string;
  detail: string;
  after: readonly string[];
  /** The planner has written all of it. */
  isWhole: boolean;
};

/** More are in the plan then, but not before it is there. */
const MOST = 400;
const LIST = /"(?:tasks|steps)"\s*:\s*\[/g;
const LONGEST_TITLE = 60;

/** In the order in which they were named. */
export function sketch(answer: string): Sketched[] {
  // Models think aloud and begin again: what was begun last counts.
  const begins = [...answer.matchAll(LIST)].at(-1);
  if (!begins) return [];
  const found = new Map<string, Sketched>();
  let at = begins.index + begins[0].length;
  while (found.size < MOST) {
    const item = readPartial(answer, at);
    if (!item) break;
    const task = taskOf(item.value, item.isWhole);
    if (task && !found.has(task.id)) found.set(task.id, task);
    const comma = item.isWhole ? /\s*,/y : null;
    if (!comma) break;
    comma.lastIndex = item.at;
    const next = comma.exec(answer);
    if (!next) break;
    at = item.at + next[0].length;
  }
  return [...found.values()];
}

function taskOf(value: Partial, isWhole: boolean): Sketched | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const text = (key: string) => (typeof value[key] === "string" ? (value[key] as string) : "");
  const texts = (key: string) => {
    const list = value[key];
    return Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : [];
  };
  const id = text("id");
  // An id that is still being written is another one with its next letter.
  if (!id || (!isWhole && Object.keys(value).length < 2)) return null;
  const words = text("title") || (text("instruction").split("\n")[0] ?? "");
  const kind = text("task_type") || text("type") || "agent";
  return {
    id,
    title: words.length > LONGEST_TITLE ? `${words.slice(0, LONGEST_TITLE - 1)}…` : words || id,
    kind,
    detail: kind === "tool" ? text("tool") || (texts("tools")[0] ?? "") : texts("tools").join(", "),
    after: texts("dependencies"),
    isWhole,
  };
}

/** The same as cards, with the edges between those that are there. */
export function sketchCards(tasks: readonly Sketched[]): { tasks: CanvasTask[]; edges: CanvasEdge[] } {
  const ids = new Set(tasks.map((task) => task.id));
  const edges = tasks.flatMap((task) =>
    [...new Set(task.after)]
      .filter((from) => from !== task.id && ids.has(from))
      .map((from): CanvasEdge => ({ from, to: task.id, look: "pending", label: "" })),
  );
  return { tasks: tasks.map(cardOf), edges };
}

function cardOf(task: Sketched): CanvasTask {
  const before = task.after.length > 0 ? t.planning.sketchAfter(task.after.length) : t.planning.sketchFirst;
  const state = task.isWhole ? before : t.planning.sketching;
  return {
    id: task.id,
    title: task.title,
    // What a map holds is known when the plan is whole.
    kind: task.kind === "map" ? "subplan" : task.kind,
    detail: task.detail,
    status: task.isWhole ? "DRAFT" : "PENDING",
    position: null,
    left: state,
    right: "",
    grants: [],
    since: null,
    until: null,
    badge: null,
    mark: null,
    isTainted: false,
    frame: null,
    label: t.canvas.card([task.title, t.words.kind[task.kind] ?? task.kind, state]),
  };
}
