// In which order runs and drafts stand on Home: what waits for a person, then what runs, then the newest. Pure.
import type { RunRow } from "../../ipc/bindings";

export function ordered(runs: readonly RunRow[]): RunRow[] {
  return runs
    .map((row, ix) => ({ row, ix, rank: rankOf(row) }))
    .sort((a, b) => a.rank - b.rank || a.ix - b.ix)
    .map(({ row }) => row);
}

function rankOf(row: RunRow): 0 | 1 | 2 {
  if (row.openDecisions > 0) return 0;
  switch (row.status) {
    case "WAITING":
    case "BLOCKED":
      return 0;
    case "RUNNING":
      return 1;
    case "AWAITING_APPROVAL":
    case "PAUSED":
    case "SUCCEEDED":
    case "FAILED":
    case "CANCELLED":
      return 2;
  }
}
