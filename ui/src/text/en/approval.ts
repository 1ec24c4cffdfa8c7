// Words of the approval.
import { count } from "../format";

export const approval = {
  title: "Approve this plan",
  nothingYet: "Nothing has run yet",
  faultTitle: "This plan can't be shown for approval",
  untrusted: (sink: string) => `Text from outside reaches ${sink}`,
  untrustedNote: (source: string, through: number) =>
    `It comes from ${source}${through > 0 ? ` and passes through ${count(through, "task")}` : ""}. It can change what is written there, never what may run.`,
  flowLabel: (sink: string) => `What happens when text from outside reaches ${sink}`,
  chooseFirst: (sink: string, n: number) =>
    n > 1
      ? `Choose first what happens to text from outside, in ${n} places.`
      : `Choose first what happens to text from outside at ${sink}.`,
  toChoice: "Choose",
  beingAsked: "The planner is being asked for a change of this plan.",
  cannotRun: "Not all of it can run here yet.",
  flowAsk: "Ask me each time",
  flowAllow: "Allow this way",
  flowAllowNote: (from: string) => `Whatever ${from} gives then goes there without a question, in this run.`,
  flowAsked: "You are asked each time.",
  newSince: (revision: number) => `New since you approved revision ${revision}`,
  nothingNew: (revision: number) => `Asks for nothing that you did not approve with revision ${revision}.`,
  newNeeds: (names: string) => `It may now touch ${names}.`,
  isNew: "new",
  newTask: "New",
  allowGrant: (what: string) => `Allow ${what}`,
  leftOut: (n: number) => `${count(n, "task")} will not run`,
  nothingLeftOut: "Every task still runs",
  goesWithout: "Agents are told that it is off, and go on without it.",
  lacks: (what: string) => `needs ${what}`,
  behind: (name: string) => `comes after ${name}`,
  ownWork: (entry: string) => `Takes ${entry} for your own work`,
  ownWorkNote:
    "What lies there counts as written by you and nobody else, so that it may be acted on without a question.",
  privateTo: (entry: string) => `May send private data to ${entry}`,
  privateToNote: "What your files and databases hold may go there without a question.",
  accepted: (sink: string) => `Text from outside may reach ${sink} without a question`,
  secret: (name: string) => `Hands over the secret ${name}`,
  secretNote: (tasks: string) =>
    `To ${tasks}. It is read from your keychain or environment when the call is made, and never stored.`,
  asked: {
    title: "Who is told",
    note: "what the tasks read goes along",
    at: (host: string | null) => (host === null ? "on this machine" : `at ${host}, off this machine`),
    finalAnswer: "the final answer",
    standsIn: (tasks: string) => `stands in for ${tasks}`,
    andMore: (tasks: string, n: number) => `${tasks} and ${n} more`,
    onFailure: (holdsBack: boolean) =>
      holdsBack
        ? "Where a task fails for good: the plan, outputs and errors. Private data only by your word."
        : "Where a task fails for good: the plan, outputs and errors.",
  },
  source: "Untrusted source",
  sink: "Arrives here",
  legend: "Path of text from outside",
  legendNote: "A person checking it does not make it trusted.",
  overlays: { plain: "Plain", untrusted: "Untrusted data", path: "Longest path" },
  overlayLabel: "What the canvas shows",
  touches: "What it may touch",
  touchesNote: (n: number) => `${count(n, "grant")} · riskiest first`,
  touchesNothing: "This plan touches nothing outside its own folder.",
  groups: {
    spend: "Spends",
    write_external: "Sends out",
    exec: "Runs programs",
    write: "Writes",
    read_external: "Network reads",
    read: "Reads",
    pure: "Other",
  },
  more: (n: number) => `+${n}`,
  parameters: "Parameters",
  parametersNote: "for this run",
  problems: "Problems",
  blocked: (n: number) => `${count(n, "error")} must be fixed first.`,
  warnings: (n: number) => count(n, "warning"),
  unsupported: (kinds: string) => `Can't run here yet: ${kinds}.`,
  unsupportedNote:
    "The plan is valid and kept. Tasks that ask a model need one: start Ollama, LM Studio, llama.cpp or vLLM, and look for it in Settings, or set a provider's key there.",
  approve: "Approve and run",
  edit: "Edit plan",
  later: "Save for later",
  foot: "Allows these only. Anything new stops the run and asks you.",
  stale: "The plan changed since it was shown. Look at it again; nothing was approved.",
  approving: "Starting",
};
