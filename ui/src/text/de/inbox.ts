// The words of decisions and of the Waiting screen, in German.
import { count } from "../format";
import type { Part } from "../part";

export const inbox: Part<typeof import("../en/inbox").inbox> = {
  title: "Wartet auf Sie",
  order: "das Älteste zuerst",
  stopped: (n) => (n === 1 ? "1 Lauf steht deswegen still" : `${count(n, "Lauf", "Läufe")} stehen deswegen still`),
  list: "Entscheidungen",
  nothing: "Nichts wartet auf Sie",
  nothingNote: (n) =>
    n === 0
      ? "Kein Lauf ist unterwegs."
      : `${n === 1 ? "1 Lauf ist" : `${count(n, "Lauf", "Läufe")} sind`} unterwegs. Eine Zahl zeigt, wenn einer Sie braucht.`,
  faultTitle: "Die Entscheidungen können nicht gezeigt werden",
  kind: {
    approval: "Freigabe",
    question: "Frage",
    grant: "Neue Berechtigung",
    effect: "Vorher gezeigt",
    in_doubt: "Ungewiss",
    budget: "Limit erreicht",
    replan: "Neuer Plan",
    blocked: "Kommt nicht weiter",
  },
  about: "Worum es geht",
  provenance: "Woher es kommt",
  would: (what) => `Es würde: ${what}`,
  allOfIt: "Alles",
  fromOutside: "von außen",
  isPrivate: "privat",
  madeOf: (task, tool, what) => `aus dem, was ${task} mit ${tool} bekam${what ? ` (${what})` : ""}`,
  madeBefore: (what) => `Schon geschehen, und bleibt es: ${what}`,
  choices: "Was jede Antwort bewirkt",
  nothingDone: "Wenn Sie nichts tun",
  nothingDoneText: "Der Lauf wartet, auch nach einem Neustart. Nichts wird gesendet, nichts geht verloren.",
  send: "Antwort senden",
  openRun: "Lauf öffnen",
  lookAtPlan: "Plan ansehen",
  answerFault: "Dies wurde nicht gesendet.",
  move: "bewegen",
  choose: "wählen",
  sendKey: "senden",
  doneValue: "Sein Ergebnis als JSON, falls bekannt",
};
