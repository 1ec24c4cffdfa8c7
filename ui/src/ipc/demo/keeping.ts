// What the demo host keeps: names, deletion, sizes and limits, all in memory. Sizes are those of the texts that it holds.
import type { GoneView, LimitsView, RunRow, WhatGoes } from "../bindings";
import { Fault, type Host } from "../host";

type Kept = {
  rows: () => RunRow[];
  rename: (run: string, name: string | null) => void;
  remove: (run: string) => void;
  /** Bytes of all plans. */
  size: () => number;
};

type Keeping = Pick<
  Host,
  | "renameRun"
  | "whatGoes"
  | "deleteRuns"
  | "oldRuns"
  | "storage"
  | "chooseBackupFile"
  | "backup"
  | "showFolder"
  | "tidyUp"
  | "limits"
  | "keepLimits"
  | "keepSync"
>;

const STEPS_OF_A_TASK = 6;
const DAY_MS = 86_400_000;
const USUAL = { perRun: 16, perProvider: 8 };

const isGoing = (row: RunRow) => row.status === "RUNNING" || row.status === "WAITING" || row.status === "BLOCKED";
const isDraft = (row: RunRow) => row.status === "AWAITING_APPROVAL";

function goesWith(rows: readonly RunRow[]): WhatGoes {
  const may = rows.filter((row) => !isGoing(row));
  const tasks = (row: RunRow) => row.counts.reduce((sum, c) => sum + c.count, 0);
  return {
    runs: may.filter((row) => !isDraft(row)).length,
    drafts: may.filter(isDraft).length,
    events: may.reduce((sum, row) => sum + (isDraft(row) ? row.revision + 1 : tasks(row) * STEPS_OF_A_TASK), 0),
    files: 0,
    bytes: 0,
    openDecisions: may.reduce((sum, row) => sum + row.openDecisions, 0),
    forks: 0,
    refused: rows.filter(isGoing).map(({ run, title }) => ({ run, title, why: "the demo is at work on it" })),
  };
}

export function keeping({ rows, rename, remove, size }: Kept): Keeping {
  let limits: LimitsView = {
    ...USUAL,
    tools: [],
    usualPerRun: USUAL.perRun,
    usualPerProvider: USUAL.perProvider,
    syncsEverything: false,
    troubles: [],
  };
  let free = 0;
  const those = (runs: readonly string[]) => rows().filter((row) => runs.includes(row.run));
  return {
    renameRun: async (run, name) => rename(run, name),
    whatGoes: async (runs) => goesWith(those(runs)),
    deleteRuns: async (runs): Promise<GoneView> => {
      const goes = goesWith(those(runs));
      const gone = those(runs).filter((row) => !isGoing(row));
      const before = size();
      for (const row of gone) remove(row.run);
      free += before - size();
      return { runs: gone.map((row) => row.run), events: goes.events, refused: goes.refused };
    },
    oldRuns: async (days, withDrafts) => {
      const before = Date.now() - days * DAY_MS;
      const isOver = (row: RunRow) => ["SUCCEEDED", "FAILED", "CANCELLED"].includes(row.status);
      const old = rows().filter(
        (row) =>
          (row.changedAt ?? 0) < before && row.openDecisions === 0 && (isOver(row) || (withDrafts && isDraft(row))),
      );
      return { runs: old.map((row) => row.run), goes: goesWith(old) };
    },
    storage: async () => {
      const all = rows();
      const drafts = all.filter(isDraft).length;
      return {
        file: "in memory",
        folder: "in memory",
        bytes: size() + free,
        free,
        values: Math.round(size() * 0.6),
        search: 0,
        runs: all.length - drafts,
        drafts,
        files: 0,
        filesBytes: 0,
        isMore: false,
        heldBy: all.some(isGoing) ? "the demo" : null,
      };
    },
    chooseBackupFile: async (suggestion) => suggestion,
    showFolder: async () => {
      throw new Fault("demo", "A browser shows no folders. Nothing was changed.");
    },
    backup: async (path) => ({ file: path, bytes: size() }),
    tidyUp: async () => {
      const freed = { bytes: free, free: 0, values: 0, heldBy: null };
      free = 0;
      return freed;
    },
    limits: async () => limits,
    keepLimits: async (form) => {
      const numbers = [form.perRun ?? 1, form.perProvider ?? 1, ...form.tools.map((tool) => tool.atOnce)];
      if (numbers.some((n) => n < 1 || n > 10_000))
        throw new Fault("type", "A limit is a whole number from 1 to 10,000. Nothing was changed.");
      limits = {
        ...limits,
        perRun: form.perRun ?? USUAL.perRun,
        perProvider: form.perProvider ?? USUAL.perProvider,
        tools: form.tools,
      };
      return limits;
    },
    keepSync: async (everything) => {
      limits = { ...limits, syncsEverything: everything };
      return limits;
    },
  };
}
