// What the demo host leaves out where something is switched off: the tasks that need it, and all behind them.
import type { LeftOutView, Withheld } from "../bindings";
import { type Json, textOf } from "../json";
import { needsOf } from "./draft";
import { dependenciesOf, tasksOf } from "./ways";

type LeftOut = { leftOut: LeftOutView[]; refusal: string | null };

export function leftOutOf(document: Json, off: readonly Withheld[]): LeftOut {
  const tasks = tasksOf(document);
  const out = new Map<string, LeftOutView>();
  for (const task of tasks) {
    const id = textOf(task.id);
    const need = off.find((row) =>
      needsOf(task).some((n) => n.access === row.access && n.resource === row.resource && n.method === row.method),
    );
    if (need && task.task_type !== "agent") out.set(id, { task: id, need, after: null });
  }
  for (let grew = true; grew; ) {
    grew = false;
    for (const task of tasks) {
      const id = textOf(task.id);
      const after = dependenciesOf(task).find((d) => out.has(d));
      if (out.has(id) || after === undefined) continue;
      out.set(id, { task: id, need: null, after });
      grew = true;
    }
  }
  const leftOut = tasks.flatMap((task) => out.get(textOf(task.id)) ?? []);
  const isAll = leftOut.length > 0 && leftOut.length === tasks.length;
  return {
    leftOut,
    refusal: isAll ? "Nothing would be left to run. Nothing was signed; switch something on again." : null,
  };
}
