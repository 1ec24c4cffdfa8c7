// From the engine's views to what the canvas draws. Pure; the same task gives the same card.
import type { CanvasEdge, CanvasTask, EdgeLook } from "../components/canvas/model";
import type { DraftEdge, DraftTask, DraftView, Problem, TaskView, UntrustedPath } from "../ipc/bindings";
import { isNumber, objectOf, textOf, tryParse } from "../ipc/json";
import { t } from "../text";
import { inside, list, took } from "../text/format";
import { type ByTask, cardEstimate } from "./estimateTexts";
import { frameOf, type ItemStates, itemsOf, itemsText } from "./frames";

type Names = ReadonlyMap<string, string>;

export function namesOf(view: DraftView): Names {
  return new Map(view.tasks.map((task) => [task.id, task.title || task.id]));
}

/** Problems by task, as the badge shows them: errors hide warnings. */
function badges(problems: readonly Problem[]): Map<string, CanvasTask["badge"]> {
  const found = new Map<string, { severity: "error" | "warning"; count: number }>();
  for (const problem of problems) {
    const concerned = problem.code === "cycle" ? problem.tasks : problem.tasks.slice(0, 1);
    for (const id of concerned) {
      const now = found.get(id);
      if (!now || (now.severity === "warning" && problem.severity === "error"))
        found.set(id, { severity: problem.severity, count: 1 });
      else if (now.severity === problem.severity) now.count += 1;
    }
  }
  return found;
}

export function neighbours(
  edges: readonly DraftEdge[],
  names: Names,
): { after: Map<string, string[]>; feeds: Map<string, string[]> } {
  const after = new Map<string, string[]>();
  const feeds = new Map<string, string[]>();
  for (const { from, to } of edges) {
    push(after, to, names.get(from) ?? from);
    push(feeds, from, names.get(to) ?? to);
  }
  return { after, feeds };
}

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

function grantsOf(task: DraftTask): CanvasTask["grants"] {
  const groups = new Map<string, { access: string; effect: string; count: number }>();
  for (const need of task.needs) {
    const group = groups.get(need.access);
    if (group) group.count += 1;
    else groups.set(need.access, { access: need.access, effect: need.effect, count: 1 });
  }
  return [...groups.values()];
}

const plain = { since: null, until: null, badge: null, mark: null, isTainted: false } as const;

const NO_ESTIMATE: ByTask = new Map();
const NOT_OUT: ReadonlyMap<string, string> = new Map();

export function draftCards(
  view: DraftView,
  untrusted: readonly UntrustedPath[] = [],
  estimates: ByTask = NO_ESTIMATE,
  /** By task: why it will not run. */
  leftOut: ReadonlyMap<string, string> = NOT_OUT,
): CanvasTask[] {
  const names = namesOf(view);
  const { feeds } = neighbours(view.edges, names);
  const marks = badges(view.problems);
  const inputs = new Map<string, number>();
  for (const edge of view.edges) inputs.set(edge.to, (inputs.get(edge.to) ?? 0) + edge.inputs.length);
  return view.tasks.map((task) => {
    const badge = marks.get(task.id) ?? null;
    const isAsking = task.taskType === "human" && !task.pinned;
    const isOut = leftOut.has(task.id) || isLeftOut(task.document);
    return {
      ...plain,
      id: task.id,
      title: task.title || task.id,
      kind: task.taskType,
      detail: detailOf(task),
      status: isOut ? "SKIPPED" : "DRAFT",
      position: task.position,
      left: isOut
        ? t.plan.leftOut
        : isAsking
          ? t.plan.asksYou
          : task.needs.length > 0
            ? ""
            : t.plan.inputs(inputs.get(task.id) ?? 0),
      right:
        leftOut.get(task.id) ||
        cardEstimate(estimates.get(task.id), task) ||
        noteOf(task) ||
        (isAsking || task.needs.length > 0 ? t.plan.inputs(inputs.get(task.id) ?? 0) : ""),
      grants: grantsOf(task),
      badge,
      mark: markOf(task.id, untrusted),
      isTainted: untrusted.some((u) => u.path.includes(task.id)),
      frame: frameOf(task, null),
      isPinned: task.pinned,
      stop: task.breakpoint,
      label: heldLabel(
        labelOf(
          task,
          isOut ? t.plan.leftOut : t.words.runStatus.AWAITING_APPROVAL,
          feeds,
          badge?.count ?? 0,
          leftOut.get(task.id),
        ),
        task.pinned,
        task.breakpoint,
      ),
    };
  });
}

/** What a person has laid on the task is read out, too. */
function heldLabel(label: string, isPinned: boolean, stop: DraftTask["breakpoint"]): string {
  return t.canvas.card([label, isPinned ? t.holds.pinnedShort : "", stop ? t.holds.stops[stop] : ""]);
}

const LEFT_OUT = /"when"\s*:\s*"false(?: and \(|")/;

/** A person has left the task out of the run. The document is read only where its text could say so. */
export function isLeftOut(document: string): boolean {
  return (
    LEFT_OUT.test(document) && /^false(?: and \([\s\S]*\))?$/.test(textOf(objectOf(tryParse(document)).when).trim())
  );
}

/** The engine's second line, unless it only repeats the kind. A map and a subplan say what they hold. */
function detailOf(task: DraftTask): string {
  const isKind =
    task.detail === task.taskType || task.detail.toLowerCase() === (t.words.kind[task.taskType] ?? "").toLowerCase();
  if (task.taskType === "map" || task.taskType === "subplan") return heldBy(task) || (isKind ? "" : task.detail);
  return isKind ? (task.taskType === "code" ? "JavaScript" : "") : task.detail;
}

function heldBy(task: DraftTask): string {
  const document = objectOf(tryParse(task.document));
  if (task.taskType === "map") {
    const kind = textOf(objectOf(document.task).task_type) || "agent";
    const most = isNumber(document.max_parallel) ? t.plan.atATime(document.max_parallel.toString()) : "";
    return [inside(t.words.kind[kind] ?? kind), most].filter(Boolean).join(", ");
  }
  const tasks = objectOf(document.plan).tasks;
  return Array.isArray(tasks) ? t.plan.tasksHeld(tasks.length) : "";
}

/** The riskiest thing that it does, in words. */
function noteOf(task: DraftTask): string {
  const risky = task.needs.find(
    (n) => n.effect === "write_external" || n.effect === "write" || n.effect === "exec" || n.effect === "spend",
  );
  return risky ? t.words.effect[risky.effect] : "";
}

function markOf(id: string, untrusted: readonly UntrustedPath[]): CanvasTask["mark"] {
  if (untrusted.some((u) => u.source === id)) return { text: t.approval.source, place: "above" };
  return untrusted.some((u) => u.sink === id) ? { text: t.approval.sink, place: "below" } : null;
}

const MOST_NAMED = 5;

function shortened(names: readonly string[]): string[] {
  const more = names.length - MOST_NAMED;
  return more > 0 ? [...names.slice(0, MOST_NAMED), t.canvas.more(more)] : [...names];
}

function labelOf(task: DraftTask, state: string, feeds: Map<string, string[]>, problems: number, why = ""): string {
  return t.canvas.card([
    task.title || task.id,
    inside(t.words.kind[task.taskType] ?? task.taskType),
    inside(state),
    why,
    task.wave === null ? "" : inside(t.canvas.wave(task.wave)),
    feeds.has(task.id) ? t.canvas.feeds(list(shortened(feeds.get(task.id) ?? []))) : "",
    problems > 0 ? inside(t.shell.problems(problems)) : "",
  ]);
}

export function draftEdges(view: DraftView, untrusted: readonly UntrustedPath[] = []): CanvasEdge[] {
  const hops = new Set(untrusted.flatMap((u) => u.path.slice(1).map((to, ix) => `${u.path[ix]}→${to}`)));
  return view.edges.map((edge) => ({
    from: edge.from,
    to: edge.to,
    look: edge.isInLoop ? "loop" : hops.has(`${edge.from}→${edge.to}`) ? "taint" : "pending",
    label: edge.inputs.length > 0 ? edge.inputs.join(", ") : t.plan.orderOnly,
  }));
}

const NO_ITEMS: ItemStates = new Map();

export function runCards(
  view: DraftView,
  tasks: ReadonlyMap<string, TaskView>,
  items: ItemStates = NO_ITEMS,
): CanvasTask[] {
  const { feeds } = neighbours(view.edges, namesOf(view));
  return view.tasks.map((task) => {
    const now = tasks.get(task.id);
    const strip = stripOf(now);
    const states = items.get(task.id) ?? [];
    return {
      ...plain,
      id: task.id,
      title: task.title || task.id,
      kind: task.taskType,
      detail: detailOf(task),
      status: now?.status ?? "PENDING",
      position: task.position,
      ...strip,
      grants: [],
      frame: frameOf(task, itemsOf(states)),
      isPinned: now?.pinned ?? false,
      stop: now?.breakpoint ?? null,
      label: heldLabel(
        labelOf(task, [`${strip.left} ${strip.right}`.trim(), itemsText(states)].filter(Boolean).join(", "), feeds, 0),
        now?.pinned ?? false,
        now?.breakpoint ?? null,
      ),
    };
  });
}

type Strip = Pick<CanvasTask, "left" | "right" | "since" | "until">;

function stripOf(task: TaskView | undefined): Strip {
  const word = t.words.taskStatus[task?.status ?? "PENDING"];
  const rest = { since: null, until: null };
  if (!task) return { left: word, right: "", ...rest };
  switch (task.status) {
    case "PENDING":
    case "READY":
    case "WAITING":
    case "IN_DOUBT":
      return {
        left: word,
        right: task.wait ? t.words.wait[task.wait.reason] : "",
        since: null,
        until: task.wait?.until ?? null,
      };
    case "RUNNING":
      return {
        left: task.attempts > 1 ? t.run.strip.attempt(task.attempts, task.maxAttempts) : word,
        right: "",
        since: task.startedAt,
        until: null,
      };
    case "RETRYING":
      return {
        left: t.run.strip.attempt(Math.min(task.attempts + 1, task.maxAttempts), task.maxAttempts),
        right: t.run.strip.next,
        since: null,
        until: task.wait?.until ?? null,
      };
    case "COMPLETED":
      return { left: word, right: [task.summary ?? "", lasted(task)].filter(Boolean).join(" · "), ...rest };
    case "FAILED":
      return { left: t.run.strip.failed(task.attempts, task.maxAttempts), right: task.error?.code ?? "", ...rest };
    case "SKIPPED":
    case "CANCELLED":
    case "PRUNED":
      return { left: word, right: "", ...rest };
  }
}

function lasted(task: TaskView): string {
  return task.startedAt === null || task.endedAt === null ? "" : took(task.endedAt - task.startedAt);
}

export function runEdges(view: DraftView, tasks: ReadonlyMap<string, TaskView>): CanvasEdge[] {
  return view.edges.map((edge) => ({
    from: edge.from,
    to: edge.to,
    look: edge.isInLoop ? "loop" : runLook(tasks.get(edge.from), tasks.get(edge.to)),
    label: edge.inputs.length > 0 ? edge.inputs.join(", ") : t.plan.orderOnly,
  }));
}

function runLook(from: TaskView | undefined, to: TaskView | undefined): EdgeLook {
  if (to?.status === "IN_DOUBT") return "doubt";
  if (from?.status === "SKIPPED" || to?.status === "SKIPPED" || to?.status === "CANCELLED") return "skipped";
  if (from?.status !== "COMPLETED") return "pending";
  return to?.status === "RUNNING" || to?.status === "RETRYING" ? "running" : "done";
}
