// What a screen reader is told of a run: grouped where it can wait, at once where a person is needed. Pure.
import type { TaskStatus, TaskView } from "../ipc/bindings";
import { t } from "../text";

const URGENT: readonly TaskStatus[] = ["WAITING", "IN_DOUBT", "FAILED"];

/** What to say of the difference. The first look at a run says nothing. */
export function changes(
  before: ReadonlyMap<string, TaskView>,
  now: ReadonlyMap<string, TaskView>,
  names: ReadonlyMap<string, string>,
): { polite: string; urgent: string } {
  if (before.size === 0) return { polite: "", urgent: "" };
  let done = 0;
  const urgent: string[] = [];
  for (const [id, task] of now) {
    if (before.get(id)?.status === task.status) continue;
    if (task.status === "COMPLETED") done += 1;
    if (URGENT.includes(task.status)) urgent.push(`${names.get(id) ?? id}: ${t.words.taskStatus[task.status]}`);
  }
  return { polite: done > 0 ? t.run.announceDone(done) : "", urgent: urgent.join(". ") };
}
