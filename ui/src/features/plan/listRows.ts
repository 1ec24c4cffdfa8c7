// The rows of the list view: waves, their tasks, and what maps and subplans hold. Pure.
import { wavesOf } from "../../components/canvas/layout";
import type { DraftTask, PieceView, Problem } from "../../ipc/bindings";
import { objectOf, textOf, tryParse } from "../../ipc/json";
import type { Changed, RowChange } from "./listChanges";
import { tasksOf } from "./rules/reads";

export type Row =
  | {
      kind: "wave";
      key: string;
      wave: number;
      tasks: readonly string[];
      isClosed: boolean;
      problems: readonly Problem[];
    }
  | { kind: "plan"; key: string; pieces: readonly PieceView[] }
  | { kind: "piece"; key: string; piece: PieceView }
  | {
      kind: "task";
      key: string;
      task: DraftTask;
      wave: number;
      problem: Problem | null;
      hasInner: boolean;
      change: RowChange | null;
    }
  | { kind: "inner"; key: string; of: string; title: string; taskType: string };

/** `across`: where a card lies in its wave, so that the list reads as the canvas does; else in the document's order. */
export function rowsOf(
  changed: Changed,
  closed: ReadonlySet<string>,
  across: ((id: string) => number) | null = null,
): Row[] {
  const { view, byTask, plan } = changed;
  const waves = wavesOf(
    view.tasks.map((task) => task.id),
    view.edges,
  );
  const byWave: DraftTask[][] = [];
  for (const task of view.tasks) {
    const wave = waves.get(task.id) ?? 1;
    while (byWave.length < wave) byWave.push([]);
    byWave[wave - 1]?.push(task);
  }
  if (across) for (const tasks of byWave) tasks.sort((a, b) => across(a.id) - across(b.id));
  const problems = new Map<string, Problem>();
  for (const problem of view.problems) {
    const [id] = problem.tasks;
    if (id !== undefined && !problems.has(id)) problems.set(id, problem);
  }
  const ofPlan: Row[] = plan.map((piece) => ({ kind: "piece", key: `piece ${piece.id}`, piece }));
  const head: Row[] = plan.length > 0 ? [{ kind: "plan", key: "plan", pieces: plan }, ...ofPlan] : [];
  const rows = byWave.flatMap<Row>((tasks, ix) => {
    const wave: Row = {
      kind: "wave",
      key: waveKey(ix + 1),
      wave: ix + 1,
      tasks: tasks.map((task) => task.id),
      isClosed: closed.has(waveKey(ix + 1)),
      problems: tasks.flatMap((task) => problems.get(task.id) ?? []),
    };
    if (wave.isClosed) return [wave];
    const own = tasks.flatMap((task) => {
      const inner = innerOf(task);
      const row: Row = {
        kind: "task",
        key: task.id,
        task,
        wave: ix + 1,
        problem: problems.get(task.id) ?? null,
        hasInner: inner.length > 0,
        change: byTask.get(task.id) ?? null,
      };
      return closed.has(task.id) ? [row] : [row, ...inner];
    });
    return [wave, ...own];
  });
  return [...head, ...rows];
}

/** The row of a wave; no task is called so, for its name has a blank. */
export function waveKey(wave: number): string {
  return `wave ${wave}`;
}

function innerOf(task: DraftTask): Row[] {
  if (task.taskType !== "map" && task.taskType !== "subplan") return [];
  const document = objectOf(tryParse(task.document));
  const inner = task.taskType === "map" ? [objectOf(document.task)] : tasksOf(document.plan);
  return inner.map((one, ix) => ({
    kind: "inner",
    key: `${task.id}/${textOf(one.id) || ix}`,
    of: task.id,
    title: textOf(one.title) || textOf(one.id) || textOf(one.instruction),
    taskType: textOf(one.task_type) || "agent",
  }));
}

/** The tasks from one to another, as they stand in the list. */
export function between(order: readonly string[], from: string, to: string): string[] {
  const [a, b] = [order.indexOf(from), order.indexOf(to)];
  if (a < 0 || b < 0) return [to];
  const range = order.slice(Math.min(a, b), Math.max(a, b) + 1);
  return a <= b ? range : range.reverse();
}
