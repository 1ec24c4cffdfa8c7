// Exporte auf Deutsch: die Formen, was darin steht, und was daraus wurde.
import type { exporting as english } from "../en/exporting";

export const exporting: typeof english = {
  open: "Exportieren…",
  title: (name: string) => `${name} exportieren`,
  form: "Als",
  forms: {
    html: "Bericht, eine Seite",
    markdown: "Bericht, Markdown",
    png: "Bild, PNG",
    svg: "Bild, SVG",
    mermaid: "Plan als Mermaid",
    run: "Ganzer Lauf",
    otlp: "Spur, OpenTelemetry",
  },
  notes: {
    html: "Ziel, Plan, was freigegeben wurde, Antwort, Aufgaben, Entscheidungen und Geld auf einer Seite, die für sich steht: kein Skript, nichts von anderswo. Auf Englisch.",
    markdown:
      "Dasselbe als Text, der sich gut vergleichen lässt. Was Modelle schrieben, kann darin weder Link noch Überschrift noch Bild werden. Auf Englisch.",
    png: "Der Plan, wie er gezeichnet ist, mit dem Zustand jeder Aufgabe. Sehr große Pläne werden kleiner gezeichnet.",
    svg: "Der Plan, wie er gezeichnet ist, mit dem Zustand jeder Aufgabe. Er bleibt in jeder Größe scharf.",
    mermaid: "Der Plan als Text, den Wikis und Repositorien zeichnen.",
    run: "Das ganze Protokoll, um es anderswo zu importieren und anzusehen. Die Dateien im eigenen Ordner des Laufs sind nicht dabei.",
    otlp: "Aufgaben, Versuche, Fragen an Modelle und Aufrufe von Werkzeugen mit Zeiten, Tokens und Kosten, als OTLP in JSON-Zeilen.",
  },
  secrets: "Schlüssel und Geheimnisse, die dieser Rechner kennt, werden herausgenommen.",
  secretsOfLog: "Geheimnisse wurden herausgenommen, bevor das Protokoll geschrieben wurde.",
  theme: "Farben",
  themes: { light: "Hell", dark: "Dunkel" },
  withContent: "Mit dem, was gesagt, übergeben und zurückgegeben wurde",
  withContentNote:
    "Sonst enthält eine Spur Namen, Zustände, Zeiten und Zahlen, und keinen Text von Modellen oder Werkzeugen.",
  choose: "Datei wählen…",
  writing: "Schreibt",
  close: "Schließen",
  done: (size: string) => `Geschrieben, ${size}`,
  fault: "Nichts wurde geschrieben",
};
