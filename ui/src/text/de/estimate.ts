// The words of estimates, in German.
import { count } from "../format";
import type { Part } from "../part";

export const estimate: Part<typeof import("../en/estimate").estimate> = {
  cost: "Kosten",
  time: "Zeit",
  tokens: "Tokens",
  free: "kostenlos",
  unknown: "unbekannt",
  costUnknown: "Kosten unbekannt",
  noLimit: "ohne Zeitlimit",
  you: "Sie",
  likely: (text) => `wohl ${text}`,
  cap: (text) => `Limit ${text}`,
  limit: (text) => `Limit ${text}`,
  noCap: "kein Limit gesetzt",
  noTimeLimit: "kein Zeitlimit gesetzt",
  bar: (what, range, likely, cap) =>
    [`${what}: ${range}`, likely ? `wohl ${likely}` : "", cap ? `von höchstens ${cap}` : ""].filter(Boolean).join(", "),
  overCap: "Das Limit kann überschritten werden. Sie werden vor dem Schritt gefragt, der es täte.",
  overLimit: "Das Zeitlimit kann überschritten werden. Dann werden Sie gefragt.",
  unpriced: (n, names) => `Niemand weiß, was ${names} ${n === 1 ? "kostet" : "kosten"}.`,
  untimed: (n, names) => `Noch weiß niemand, wie lange ${names} ${n === 1 ? "dauert" : "dauern"}.`,
  untimedAll: "Solche Aufgaben liefen hier noch nie; darum weiß niemand, wie lange sie dauern.",
  plusYou: (names) => `dazu Ihr Teil bei ${names}.`,
  path: (hops, tasks) => `Längster Weg: ${hops} von ${count(tasks, "Aufgabe", "Aufgaben")}.`,
  calls: (calls, free, tokens) =>
    `${calls} ${calls === "1" ? "Frage" : "Fragen"} an Modelle${free ? `, davon ${free} kostenlos` : ""}; ${tokens} Tokens.`,
  noCalls: "Kein Modell wird gefragt.",
  tokenCap: (cap) => `Limit: ${cap} Tokens.`,
  noEstimate: "Der Plan hat Fehler; darum weiß niemand, was er kostet.",
  restsOn: (runs) => (runs === 0 ? "nach Faustregel" : `aus ${count(runs, "früheren Lauf", "früheren Läufen")}`),
  without: (n) => `Ohne die ${n === 1 ? "Aufgabe, die nicht läuft" : `${n} Aufgaben, die nicht laufen`}.`,
  others: (n) => `${n} weitere`,
};
