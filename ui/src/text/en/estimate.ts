// Words of estimates: what a plan may cost and how long it may take.
import { count } from "../format";

export const estimate = {
  cost: "Cost",
  time: "Time",
  tokens: "Tokens",
  free: "free",
  unknown: "unknown",
  costUnknown: "cost unknown",
  noLimit: "no time limit",
  you: "you",
  likely: (text: string) => `likely ${text}`,
  cap: (text: string) => `cap ${text}`,
  limit: (text: string) => `limit ${text}`,
  noCap: "no cap set",
  noTimeLimit: "no time limit set",
  bar: (what: string, range: string, likely: string | null, cap: string | null) =>
    [`${what}: ${range}`, likely ? `likely ${likely}` : "", cap ? `of at most ${cap}` : ""].filter(Boolean).join(", "),
  overCap: "It may pass the cap. You are asked before the step that would.",
  overLimit: "It may pass the time limit. You are asked when it does.",
  unpriced: (n: number, names: string) => `Nobody knows what ${names} ${n === 1 ? "costs" : "cost"}.`,
  untimed: (n: number, names: string) => `Nobody knows yet how long ${names} ${n === 1 ? "takes" : "take"}.`,
  untimedAll: "No task like these has run here yet, so nobody knows how long they take.",
  plusYou: (names: string) => `plus your part in ${names}.`,
  path: (hops: number, tasks: number) => `Longest path: ${hops} of ${count(tasks, "task")}.`,
  calls: (calls: string, free: string | null, tokens: string) =>
    `${calls} ${calls === "1" ? "question" : "questions"} to models${free ? `, ${free} of them free` : ""}; ${tokens} tokens.`,
  noCalls: "No model is asked.",
  tokenCap: (cap: string) => `Cap: ${cap} tokens.`,
  noEstimate: "The plan has errors, so nobody can say what it costs.",
  restsOn: (runs: number) => (runs === 0 ? "by rule of thumb" : `from ${count(runs, "earlier run")}`),
  without: (n: number) => `Without the ${n === 1 ? "task" : `${n} tasks`} that will not run.`,
  others: (n: number) => `${n} more`,
};
