// The words of the approval, in German.
import { count } from "../format";
import type { Part } from "../part";

const tasks = (n: number) => count(n, "Aufgabe", "Aufgaben");

export const approval: Part<typeof import("../en/approval").approval> = {
  title: "Diesen Plan freigeben",
  nothingYet: "Noch ist nichts gelaufen",
  faultTitle: "Dieser Plan kann nicht zur Freigabe gezeigt werden",
  untrusted: (sink) => `Text von außen gelangt zu ${sink}`,
  untrustedNote: (source, through) =>
    `Er kommt von ${source}${through > 0 ? ` und geht durch ${tasks(through)}` : ""}. Er kann ändern, was dort geschrieben wird, nie, was laufen darf.`,
  flowLabel: (sink) => `Was geschieht, wenn Text von außen zu ${sink} gelangt`,
  chooseFirst: (sink, n) =>
    n > 1
      ? `Wählen Sie erst an ${n} Stellen, was mit Text von außen geschieht.`
      : `Wählen Sie erst, was mit Text von außen bei ${sink} geschieht.`,
  toChoice: "Wählen",
  beingAsked: "Der Planer wird gerade um eine Änderung dieses Plans gebeten.",
  cannotRun: "Noch kann nicht alles davon hier laufen.",
  flowAsk: "Jedes Mal fragen",
  flowAllow: "Diesen Weg erlauben",
  flowAllowNote: (from) => `Was ${from} liefert, geht in diesem Lauf dann ohne Rückfrage dorthin.`,
  flowAsked: "Sie werden jedes Mal gefragt.",
  newSince: (revision) => `Neu, seit Sie Fassung ${revision} freigegeben haben`,
  nothingNew: (revision) => `Verlangt nichts, was Sie nicht schon mit Fassung ${revision} freigegeben haben.`,
  newNeeds: (names) => `Darf nun ${names} anfassen.`,
  isNew: "neu",
  newTask: "Neu",
  allowGrant: (what) => `${what} erlauben`,
  leftOut: (n) => `${tasks(n)} ${n === 1 ? "läuft" : "laufen"} nicht`,
  nothingLeftOut: "Jede Aufgabe läuft trotzdem",
  goesWithout: "Agenten erfahren, dass es aus ist, und machen ohne weiter.",
  lacks: (what) => `braucht ${what}`,
  behind: (name) => `kommt nach ${name}`,
  ownWork: (entry) => `Hält ${entry} für Ihre eigene Arbeit`,
  ownWorkNote:
    "Was dort liegt, gilt als von Ihnen und sonst niemandem geschrieben; es wird ohne Rückfrage danach gehandelt.",
  privateTo: (entry) => `Darf Privates an ${entry} senden`,
  privateToNote: "Was in Ihren Dateien und Datenbanken steht, darf ohne Rückfrage dorthin.",
  accepted: (sink) => `Text von außen darf ohne Rückfrage zu ${sink}`,
  secret: (name) => `Gibt das Geheimnis ${name} weiter`,
  secretNote: (names) =>
    `An ${names}. Es wird beim Aufruf aus Ihrem Schlüsselbund oder Ihrer Umgebung gelesen und nie gespeichert.`,
  asked: {
    title: "Wer davon erfährt",
    note: "was die Aufgaben lesen, geht mit",
    at: (host) => (host === null ? "auf diesem Rechner" : `bei ${host}, außerhalb dieses Rechners`),
    finalAnswer: "die Schlussantwort",
    standsIn: (tasks) => `springt ein für ${tasks}`,
    andMore: (tasks, n) => `${tasks} und ${n} weitere`,
    onFailure: (holdsBack) =>
      holdsBack
        ? "Wenn eine Aufgabe endgültig scheitert: Plan, Ergebnisse und Fehler. Privates nur auf Ihr Wort."
        : "Wenn eine Aufgabe endgültig scheitert: Plan, Ergebnisse und Fehler.",
  },
  source: "Quelle von außen",
  sink: "Kommt hier an",
  legend: "Weg von Text von außen",
  legendNote: "Dass ein Mensch ihn prüft, macht ihn nicht vertrauenswürdig.",
  overlays: { plain: "Schlicht", untrusted: "Von außen", path: "Längster Weg", grants: "Rechte" },
  isOff: "Ausgeschaltet",
  willNotRun: "Läuft nicht",
  overlayLabel: "Was der Plan zeigt",
  touches: "Was er anfassen darf",
  touchesNote: (n) => `${count(n, "Berechtigung", "Berechtigungen")} · die heikelste zuerst`,
  touchesNothing: "Dieser Plan fasst nichts außerhalb seines eigenen Ordners an.",
  groups: {
    spend: "Gibt aus",
    write_external: "Sendet hinaus",
    exec: "Startet Programme",
    write: "Schreibt",
    read_external: "Liest im Netz",
    read: "Liest",
    pure: "Anderes",
  },
  parameters: "Parameter",
  parametersNote: "für diesen Lauf",
  problems: "Probleme",
  blocked: (n) => `Zuerst ${count(n, "Fehler", "Fehler")} beheben.`,
  warnings: (n) => count(n, "Warnung", "Warnungen"),
  unsupported: (kinds) => `Kann hier noch nicht laufen: ${kinds}.`,
  unsupportedNote:
    "Der Plan ist gültig und bleibt erhalten. Aufgaben, die ein Modell fragen, brauchen eines: Starten Sie Ollama, LM Studio, llama.cpp oder vLLM, und suchen Sie es in den Einstellungen, oder hinterlegen Sie dort den Schlüssel eines Anbieters.",
  approve: "Freigeben und starten",
  edit: "Ändern",
  later: "Für später",
  foot: "Erlaubt nur dies. Alles Neue hält den Lauf an und fragt Sie.",
  stale: "Der Plan hat sich seit der Anzeige geändert. Sehen Sie ihn noch einmal an; freigegeben wurde nichts.",
  approving: "Startet",
};
