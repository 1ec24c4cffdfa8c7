// Words of decisions and of the Waiting screen.
import { count } from "../format";

export const inbox = {
  title: "Waiting for you",
  order: "oldest first",
  stopped: (n: number) => `${count(n, "run")} ${n === 1 ? "is" : "are"} stopped on ${n === 1 ? "this" : "these"}`,
  list: "Decisions",
  nothing: "Nothing waits for you",
  nothingNote: (n: number) =>
    n === 0
      ? "No run is going."
      : `${count(n, "run")} ${n === 1 ? "is" : "are"} going. A badge shows when one needs you.`,
  faultTitle: "The decisions can't be shown",
  kind: {
    approval: "Approval",
    question: "Question",
    grant: "New grant",
    effect: "Shown first",
    in_doubt: "In doubt",
    budget: "Cap reached",
    replan: "New plan",
    blocked: "Blocked",
  },
  about: "What it is about",
  provenance: "Where it comes from",
  would: (what: string) => `It would: ${what}`,
  allOfIt: "All of it",
  fromOutside: "from outside",
  isPrivate: "private",
  madeOf: (task: string, tool: string, what: string) =>
    `made of what ${task} got by ${tool}${what ? ` (${what})` : ""}`,
  madeBefore: (what: string) => `Made before, and stays made: ${what}`,
  choices: "What each choice does",
  nothingDone: "If you do nothing",
  nothingDoneText: "The run waits, also after a restart. Nothing is sent and nothing is lost.",
  send: "Send answer",
  openRun: "Open run",
  lookAtPlan: "Look at the plan",
  answerFault: "This was not sent.",
  move: "move",
  choose: "choose",
  sendKey: "send",
  from: (run: string, task: string | null) => (task ? `${run} · ${task}` : run),
  doneValue: "Its output, as JSON, if you know it",
};
