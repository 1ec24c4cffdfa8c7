// The tasks whose outputs a task's inputs may read: its ancestors, the nearest first. Pure; asked only for the task that is open.
import type { DraftEdge } from "../../../ipc/bindings";

/** More are not looked through in a list. */
const MOST = 200;

export function readableOf(task: string, edges: readonly Pick<DraftEdge, "from" | "to">[]): string[] {
  const parents = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = parents.get(to);
    if (known) known.push(from);
    else parents.set(to, [from]);
  }
  // In the order in which they were found; what is added while it goes on is visited, too.
  const found = new Set([task]);
  for (const here of found) {
    for (const parent of parents.get(here) ?? []) found.add(parent);
    if (found.size > MOST) break;
  }
  found.delete(task);
  // A task without an id of its own is shown by its place, and no input can name it.
  return [...found].slice(0, MOST).filter((id) => !id.startsWith("#"));
}
