// The words of what is kept, in German.
import { count } from "../format";
import type { Part } from "../part";

const runs = (n: number) => count(n, "Lauf", "Läufe");
const drafts = (n: number) => count(n, "Entwurf", "Entwürfe");

export const storage: Part<typeof import("../en/storage").storage> = {
  title: "Speicher",
  bar: (whole) => `Was Platz braucht, zusammen ${whole}`,
  parts: {
    values: "Ergebnisse und Antworten",
    events: "Was geschah",
    free: "Frei in der Datei",
    search: "Verzeichnis der Wörter",
    files: "Dateien von Läufen",
  },
  sums: (a, b) => `${runs(a)}, ${drafts(b)}`,
  folder: "Dateien von Läufen",
  folderNote: (files, isMore) =>
    `${isMore ? "Mehr als " : ""}${count(files, "Datei", "Dateien")}, die Läufe in eigene Ordner geschrieben haben.`,
  backup: "Jetzt sichern …",
  backupTitle: "Sicherung",
  backupNote: "Kopiert die ganze Datenbank, wie sie in diesem Augenblick ist. Läufe dürfen dabei weitergehen.",
  backingUp: "Kopiert",
  backedUp: (file, size) => `Die Datenbank ist nach ${file} kopiert (${size}).`,
  tidy: "Aufräumen",
  tidyTitle: "Aufräumen",
  tidyNote: "Nimmt weg, was nichts mehr nennt, und macht die Datei kleiner. Pläne, Läufe und Ergebnisse bleiben.",
  tidyHeld: (owner) =>
    `${owner} arbeitet an einem Lauf: Bis er ruht, wird die Datei nur gesäubert, nicht kleiner gemacht.`,
  tidying: "Räumt auf",
  tidied: (size, values) =>
    `${size} frei geworden; ${count(values, "gespeicherter Wert", "gespeicherte Werte")} ohne Namen ${values === 1 ? "ist" : "sind"} fort.`,
  tidiedHeld: (owner, free) =>
    `${owner} arbeitet an einem Lauf; darum wurde die Datei nicht kleiner. ${free} darin sind für Kommendes frei.`,
  old: "Alte Läufe",
  oldNote: "Läufe, die vorüber sind und sich so lange nicht geändert haben. Was auf Sie wartet, ist nie darunter.",
  age: "Unverändert seit",
  ages: { 7: "7 Tagen", 30: "30 Tagen", 90: "90 Tagen", 365: "einem Jahr" },
  withDrafts: "Auch Entwürfe",
  oldNone: "Es gibt keine.",
  look: "Nachsehen",
  delete: (n) => `${n} löschen …`,
  showFolder: "Ordner öffnen",
  showFolderOf: (what) => `${what}: Ordner öffnen`,
  sync: "Alles sofort auf die Platte",
  syncNote:
    "Jeder Schritt ist auf der Platte, bevor der nächste beginnt, auch was nur liest. Langsamer; ohne das kann ein Stromausfall die neuesten Schritte kosten, die nichts kosteten und nichts änderten.",
  fault: "Was gespeichert ist, kann nicht gezeigt werden",
  limits: "Grenzen",
  limitsNote: "Für alles, was von jetzt an beginnt. Läufe, die schon gehen, behalten ihre.",
  goalCaps: "Neue Ziele",
  goalCapsNote: "Womit sie beginnen. Jedem kann auf der Startseite anderes gegeben werden.",
  goalCap: "Höchstbetrag",
  goalTime: "Zeitgrenze",
  perRun: "Aufgaben eines Laufs zugleich",
  perRunNote: (usual) => `Was darüber hinaus bereit ist, wartet. Üblich sind ${usual}.`,
  perProvider: "Aufrufe an einen Anbieter von Modellen zugleich",
  perProviderNote: (usual) => `Für jeden Anbieter, in jedem Lauf. Üblich sind ${usual}.`,
  perTool: "Aufrufe an ein Werkzeug zugleich",
  perToolNote: "In jedem Lauf. Ein Werkzeug, das hier nicht steht, hat keine eigene Grenze.",
  toolName: "Werkzeug",
  chooseTool: "Werkzeug wählen",
  addTool: "Hinzufügen",
  atOnceOf: (tool) => `Aufrufe an ${tool} zugleich`,
  removeTool: (tool) => `Keine Grenze für ${tool}`,
  usual: "Üblich",
  useUsual: (what) => `${what}: die übliche Zahl nehmen`,
  wrong: "Eine ganze Zahl von 1 bis 10.000.",
};

export const keeping: Part<typeof import("../en/storage").keeping> = {
  acts: (name) => `${name} umbenennen, verschlagworten, vergleichen oder löschen`,
  rename: "Umbenennen",
  nameOf: (name) => `Neuer Name von ${name}`,
  nameHint: "Leer: nach Datei oder Ziel benannt",
  keepName: "Diesen Namen behalten",
  delete: "Löschen …",
  deleteTitle: (name) => `${name} löschen?`,
  deleteMany: (a, b) => `${[a > 0 ? runs(a) : "", b > 0 ? drafts(b) : ""].filter(Boolean).join(" und ")} löschen?`,
  gone: "Fort",
  goneText: (events, files, decisions) =>
    [
      `${count(events, "aufgezeichneter Schritt", "aufgezeichnete Schritte")} mit Plan, Ergebnissen und Kosten`,
      files === null ? "" : `${files} im eigenen Ordner`,
      decisions > 0 ? count(decisions, "offene Frage", "offene Fragen") : "",
    ]
      .filter(Boolean)
      .join("; "),
  files: (n, size) => `${count(n, "Datei", "Dateien")} (${size})`,
  kept: "Bleibt",
  keptText: (forks) =>
    [
      "Plandateien, und was außerhalb des eigenen Ordners geschrieben wurde",
      forks > 0
        ? `${count(forks, "daraus gemachter Lauf", "daraus gemachte Läufe")}, mit allem, was sie davon lesen`
        : "",
    ]
      .filter(Boolean)
      .join("; "),
  undo: "Zurück",
  undoText: "Geht nicht. Nur eine Sicherung oder ein früherer Export bringt es wieder.",
  refused: "Jetzt nicht",
  refusedText: (why) => `${why}. Halten Sie den Lauf an oder lassen Sie ihn enden; dann löschen Sie ihn.`,
  doIt: "Löschen",
  deleting: "Löscht",
  keep: "Behalten",
  keepAll: "Behalten",
  done: (n) => `${count(n, "Eintrag", "Einträge")} gelöscht. Aufräumen in den Optionen gibt den Platz zurück.`,
  notDone: (n, why) =>
    `${n === 1 ? "Einer konnte" : `${n} konnten`} nicht gehen und ${n === 1 ? "blieb" : "blieben"}, wie ${n === 1 ? "er war" : "sie waren"}: ${why}`,
};
