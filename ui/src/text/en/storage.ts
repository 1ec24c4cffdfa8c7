// Words of what is kept: names and deletion in the lists, sizes and tidying, limits.
import { count } from "../format";

export const storage = {
  title: "Storage",
  bar: (whole: string) => `What takes room, ${whole} in all`,
  parts: {
    values: "Outputs and answers",
    events: "What happened",
    free: "Free inside the file",
    search: "Index of words",
    files: "Files of runs",
  },
  sums: (runs: number, drafts: number) => `${count(runs, "run")}, ${count(drafts, "draft")}`,
  folder: "Files of runs",
  folderNote: (files: number, isMore: boolean) =>
    `${isMore ? "More than " : ""}${count(files, "file")} that runs wrote into folders of their own.`,
  backup: "Back up now…",
  backupTitle: "Backup",
  backupNote: "Copies the whole database as it is at this moment. Runs may go on meanwhile.",
  backingUp: "Copying",
  backedUp: (file: string, size: string) => `The database is copied to ${file} (${size}).`,
  tidy: "Tidy up",
  tidyTitle: "Tidy up",
  tidyNote: "Takes away what nothing names any more and makes the file smaller. Plans, runs and results stay.",
  tidyHeld: (owner: string) =>
    `${owner} is at work on a run: until it rests the file is only cleaned, not made smaller.`,
  tidying: "Tidying",
  tidied: (size: string, values: number) =>
    `${size} freed; ${count(values, "stored value")} went that nothing named any more.`,
  tidiedHeld: (owner: string, free: string) =>
    `${owner} is at work on a run, so the file was not made smaller; ${free} in it can be used for what comes next.`,
  old: "Old runs",
  oldNote: "Runs that are over and have not changed for so long. What waits for you is never among them.",
  age: "Not changed for",
  ages: { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year" } as Record<number, string>,
  withDrafts: "Drafts too",
  oldNone: "There are none.",
  look: "Look",
  delete: (n: number) => `Delete ${n}…`,
  showFolder: "Open folder",
  showFolderOf: (what: string) => `${what}: open folder`,
  sync: "Sync everything",
  syncNote:
    "Every step is on the disk before the next one, also what only reads. Slower; without it a power cut may cost the newest steps that cost nothing and changed nothing.",
  fault: "What is stored can't be looked up",
  limits: "Limits",
  limitsNote: "For what begins from now on. Runs that go on keep theirs.",
  goalCaps: "New goals",
  goalCapsNote: "What they begin with. Each can be given others on Home.",
  goalCap: "Cap of money",
  goalTime: "Time limit",
  perRun: "Tasks of a run at once",
  perRunNote: (usual: number) => `What is ready beyond that waits its turn. Usually ${usual}.`,
  perProvider: "Calls to a provider of models at once",
  perProviderNote: (usual: number) => `For each provider, in each run. Usually ${usual}.`,
  perTool: "Calls to a tool at once",
  perToolNote: "In each run. A tool that is not named here has no limit of its own.",
  toolName: "Tool",
  chooseTool: "Choose a tool",
  addTool: "Add",
  atOnceOf: (tool: string) => `Calls to ${tool} at once`,
  removeTool: (tool: string) => `No limit for ${tool}`,
  usual: "Usual",
  useUsual: (what: string) => `${what}: use the usual number`,
  wrong: "A whole number from 1 to 10,000.",
};

export const keeping = {
  acts: (name: string) => `Rename, tag, compare or delete ${name}`,
  rename: "Rename",
  nameOf: (name: string) => `New name of ${name}`,
  nameHint: "Empty: named by its file or goal",
  keepName: "Keep this name",
  delete: "Delete…",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteMany: (runs: number, drafts: number) =>
    `Delete ${[runs > 0 ? count(runs, "run") : "", drafts > 0 ? count(drafts, "draft") : ""].filter(Boolean).join(" and ")}?`,
  gone: "Gone",
  goneText: (events: number, files: string | null, decisions: number) =>
    [
      `${count(events, "recorded step")} with plan, results and costs`,
      files === null ? "" : `${files} in its own folder`,
      decisions > 0 ? `${count(decisions, "open question")}` : "",
    ]
      .filter(Boolean)
      .join("; "),
  files: (n: number, size: string) => `${count(n, "file")} (${size})`,
  kept: "Kept",
  keptText: (forks: number) =>
    [
      "Plan files, and whatever was written outside of its own folder",
      forks > 0 ? `${count(forks, "run")} made from it, with what they read of it` : "",
    ]
      .filter(Boolean)
      .join("; "),
  undo: "Undo",
  undoText: "None. Only a backup, or an export that you made before, brings it back.",
  refused: "Not now",
  refusedText: (why: string) => `${why}. Stop it or let it end, then delete it.`,
  doIt: "Delete",
  deleting: "Deleting",
  keep: "Keep it",
  keepAll: "Keep them",
  done: (n: number) => `${count(n, "entry", "entries")} deleted. Tidy up in the settings gives the room back.`,
  notDone: (n: number, why: string) => `${n === 1 ? "One" : n} could not go and stayed as it was: ${why}`,
};
