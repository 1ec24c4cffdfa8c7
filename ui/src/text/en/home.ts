// Words of Home, Plans and Runs.
import { count } from "../format";

export const home = {
  title: "Start from a plan",
  note: "Nothing runs before you approve it.",
  newPlan: "New plan",
  openFile: "Open a plan file",
  samples: "Start from a sample",
  samplesNote: "needs no model and no network",
  noSamples: "No samples were found beside the app.",
  tasks: (n: number) => count(n, "task"),
  recent: "Recent",
  all: "All",
  plans: "Plans",
  runs: "Runs",
  columns: { name: "Name", state: "State", when: "When", time: "Time" },
  run: (id: string) => `run ${id}`,
  draft: (n: number) => `revision ${n}`,
  done: (done: number, all: number) => `${done} of ${all}`,
  waits: (n: number) => `${count(n, "decision")} ${n === 1 ? "waits" : "wait"} for you`,
  waitsNote: "A run stops there until you answer.",
  emptyRuns: "No run yet",
  emptyRunsNote: "Open a sample, approve it, and it shows here while it runs and afterwards.",
  emptyPlans: "No plan yet",
  emptyPlansNote: "A plan is kept from its first edit. Open a sample, a file, or start on an empty canvas.",
  faultTitle: "Your plans and runs can't be shown",
  keysTitle: "Keys to start with",
  keys: {
    newPlan: "New plan, empty canvas",
    find: "Search plans, runs, commands",
    runs: "Go to runs",
    all: "All keys",
  },
  trouble: "In trouble",
  owned: (owner: string) => `driven by ${owner}`,
};

export const lists = {
  plansTitle: "Plans",
  plansNote: "Drafts: not approved yet, so nothing of them has run.",
  runsTitle: "Runs",
  runsNote: "Every approved plan and what came of it, newest first.",
  filter: "Show",
  filters: { all: "All", going: "Going", waiting: "Waiting", over: "Over" },
  search: "Find by name",
  nothingFound: "Nothing matches. Clear the search or choose All.",
};
