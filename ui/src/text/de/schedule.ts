// The words of the schedule that a run would have, in German.
import { count } from "../format";
import type { Part } from "../part";

const tasks = (n: number) => count(n, "Aufgabe", "Aufgaben");

export const schedule: Part<typeof import("../en/schedule").schedule> = {
  title: "Zeitplan",
  open: "Zeitplan",
  back: "Plan",
  faultTitle: "Der Zeitplan lässt sich nicht zeigen",
  intro: "Was wann liefe, nach dem, was bekannt ist. Nichts wird aufgerufen.",
  as: "Zeigen als",
  chart: "Bild",
  lanes: "Je Platz",
  table: "Tabelle",
  summary: (time, atOnce, allowed) =>
    `${time}; ${atOnce === 1 ? "eine Aufgabe" : `bis zu ${tasks(atOnce)}`} zugleich, ${allowed} erlaubt.`,
  plusYou: (n) => `Ihre ${n === 1 ? "Antwort ist" : `${count(n, "Antwort", "Antworten")} sind`} nicht dabei.`,
  leftOut: (n) =>
    `${count(n, "Aufgabe", "Aufgaben")} ${n === 1 ? "läuft" : "laufen"} nicht und ${n === 1 ? "ist" : "sind"} nicht darin.`,
  untimed: (n) =>
    `${n === 1 ? "Bei einer Aufgabe" : `Bei ${tasks(n)}`} ist die Zeit unbekannt: gestrichelt, so lang wie die anderen meist.`,
  task: "Aufgabe",
  starts: "Beginnt",
  ends: "Endet",
  takes: "Dauert",
  slot: "Platz",
  onPath: "Längster Weg",
  yes: "ja",
  no: "nein",
  you: "Sie",
  waits: "wartet auf Sie",
  atStart: "sofort",
  after: (time) => `nach ${time}`,
  slotName: (n) => `Platz ${n}`,
  more: (n) => `${count(n, "weitere Aufgabe", "weitere Aufgaben")} zeigen`,
  legend: {
    likely: "wahrscheinlich",
    range: "frühestens bis spätestens",
    assumed: "Zeit unbekannt",
    path: "längster Weg",
  },
  row: (name, start, end, isOnPath) =>
    `${name}: beginnt ${start}, endet ${end}${isOnPath ? ", auf dem längsten Weg" : ""}`,
  chartLabel: (n) => `Zeitplan mit ${tasks(n)}. Als Tabelle: T drücken.`,
};
