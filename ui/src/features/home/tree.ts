// Rows as a tree of forks, folded ones left out. Rows come with each fork behind what it was made from. Pure and linear.
import type { RunRow } from "../../ipc/bindings";

export type Branch = {
  row: RunRow;
  /** 0: made from nothing that is here. */
  depth: number;
  /** All that were made from it, and from those. */
  forks: number;
  isFolded: boolean;
};

export function treeOf(rows: readonly RunRow[], folded: ReadonlySet<string>): Branch[] {
  const all = new Map<string, Branch & { isHidden: boolean }>();
  for (const row of rows) {
    const parent = row.parent === null ? undefined : all.get(row.parent);
    const isHidden = parent !== undefined && (parent.isHidden || parent.isFolded);
    all.set(row.run, { row, depth: parent ? parent.depth + 1 : 0, forks: 0, isFolded: folded.has(row.run), isHidden });
  }
  // From the last one up, so that each has counted its own before it is counted.
  for (const branch of [...all.values()].reverse()) {
    const parent = branch.row.parent === null ? undefined : all.get(branch.row.parent);
    if (parent) parent.forks += branch.forks + 1;
  }
  return [...all.values()]
    .filter((branch) => !branch.isHidden)
    .map(({ row, depth, forks, isFolded }) => ({ row, depth, forks, isFolded: isFolded && forks > 0 }));
}
