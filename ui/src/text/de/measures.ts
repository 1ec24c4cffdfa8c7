// The words in times and sums, in German.
import type { Measures } from "../en/measures";

export const measures: Measures = {
  locale: "de",
  now: "jetzt",
  ago: (span) => `vor ${span}`,
  today: (time) => `heute ${time}`,
  yesterday: (time) => `gestern ${time}`,
  and: "und",
  or: "oder",
  free: "kostenlos",
  unknown: "unbekannt",
  unknownPrice: "Preis unbekannt",
  under: (sum) => `unter ${sum}`,
  dollars: (amount) => `${amount} $`,
};
