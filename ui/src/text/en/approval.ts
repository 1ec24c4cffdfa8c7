// Words of the approval.
import { count } from "../format";

export const approval = {
  title: "Approve this plan",
  nothingYet: "Nothing has run yet",
  faultTitle: "This plan can't be shown for approval",
  untrusted: (sink: string) => `Text from outside reaches ${sink}`,
  untrustedNote: (source: string, through: number) =>
    `It comes from ${source}${through > 0 ? ` and passes through ${count(through, "task")}` : ""}. It can change what is written there, never what may run.`,
  ownWork: (entry: string) => `Takes ${entry} for your own work`,
  ownWorkNote:
    "What lies there counts as written by you and nobody else, so that it may be acted on without a question.",
  privateTo: (entry: string) => `May send private data to ${entry}`,
  privateToNote: "What your files and databases hold may go there without a question.",
  accepted: (sink: string) => `Text from outside may reach ${sink} without a question`,
  secret: (name: string) => `Hands over the secret ${name}`,
  secretNote: (tasks: string) =>
    `To ${tasks}. It is read from your keychain or environment when the call is made, and never stored.`,
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
    "The plan is valid and kept. Tasks that ask a model need one: start Ollama, LM Studio, llama.cpp or vLLM, or set a provider's key, and start Planloom again.",
  approve: "Approve and run",
  edit: "Edit plan",
  later: "Save for later",
  foot: "Allows these only. Anything new stops the run and asks you.",
  stale: "The plan changed since it was shown. Look at it again; nothing was approved.",
  approving: "Starting",
};
