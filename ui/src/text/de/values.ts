// The words of values and forms, in German.
import { count, whole } from "../format";
import type { Part } from "../part";

const characters = (n: number) => count(n, "Zeichen", "Zeichen");

export const values: Part<typeof import("../en/values").values> = {
  showRaw: "Rohes JSON zeigen",
  showShaped: "Aufbereitet zeigen",
  moreRows: (next, all) => `${next} weitere von ${whole(all)} Zeilen zeigen`,
  showAll: (n) => `Alle ${whole(n)} zeigen`,
  items: (n) => count(n, "Element", "Elemente"),
  fields: (n) => count(n, "Feld", "Felder"),
  empty: "leer",
  image: (alt) => `Bild: ${alt}`,
  table: "Tabelle",
};

export const form: Part<typeof import("../en/values").form> = {
  optional: "freiwillig",
  missing: "Braucht eine Antwort.",
  number: "Braucht eine Zahl.",
  wholeNumber: "Braucht eine ganze Zahl.",
  atLeast: (n) => `Braucht mindestens ${characters(n)}.`,
  atMost: (n) => `Hat mehr als ${characters(n)}.`,
  notUnder: (n) => `Darf nicht unter ${n} liegen.`,
  notOver: (n) => `Darf nicht über ${n} liegen.`,
  notJson: "Das ist noch kein JSON. Der letzte gültige Wert bleibt.",
  yes: "Ja",
  no: "Nein",
  choose: "Wählen",
  addItem: "Zeile hinzufügen",
  removeItem: (n) => `Zeile ${n} entfernen`,
};
