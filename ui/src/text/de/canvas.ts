// The words on and around the canvas, in German.
import { count, whole } from "../format";
import type { Part } from "../part";

const tasks = (n: number) => count(n, "Aufgabe", "Aufgaben");

export const canvas: Part<typeof import("../en/canvas").canvas> = {
  wave: (n) => `Welle ${n}`,
  atOnce: (n) => (n === 1 ? "1 Aufgabe" : `${n} zugleich`),
  change: { added: "Neu", removed: "Entfernt", changed: "Geändert", kept: "Bleibt" },
  makesLoop: "ergibt einen Kreis",
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  zoomActual: (now) => `${now} %, auf 100 % stellen`,
  fit: "Alles zeigen",
  tools: "Zeichenwerkzeuge",
  view: "Ansicht",
  plan: (n, problems) =>
    `Plan, ${tasks(n)}, ${problems === 0 ? "keine Probleme" : count(problems, "Problem", "Probleme")}`,
  run: (n, done) => `Lauf, ${tasks(n)}, ${done} fertig`,
  more: (n) => `${n} weitere`,
  feeds: (names) => `gibt weiter an ${names}`,
  after: (names) => `nach ${names}`,
  collects: "eine Liste, der Reihe nach",
  noInner: "Noch keine Aufgabe",
  items: (over, all) => `${whole(over)} von ${whole(all)}`,
  itemsNow: (over, all, states) =>
    `${whole(over)} von ${count(all, "Element", "Elementen")} fertig${states ? `: ${states}` : ""}`,
  item: (n, all) => `Element ${whole(n)} von ${whole(all)}`,
  insertHere: "Hier eine Aufgabe einfügen",
  cutEdge: "Trennen",
  noInstruction: "Noch ohne Auftrag.",
  near: { in: "Ein", out: "Aus", tools: "Mit", touches: "An" },
  noteLabel: (text) => `Notiz: ${text.slice(0, 80)}`,
  noteRemove: "Diese Notiz entfernen",
  noteText: "Text der Notiz",
  noteHint: "Notiz schreiben",
};

export const time: Part<typeof import("../en/canvas").time> = {
  inSeconds: (s) => (s < 60 ? `in ${s} s` : `in ${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`),
  anyMoment: "jetzt",
};
