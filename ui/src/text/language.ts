// Which language is spoken now. A plain value: the texts and the numbers read it each time, and the window draws itself anew
// when it changes.
export type Language = "en" | "de";
export type LanguageChoice = Language | "system";

export const LANGUAGES: readonly Language[] = ["en", "de"];
/** Each in its own words, so that everybody finds theirs. */
export const OWN_NAMES: Record<Language, string> = { en: "English", de: "Deutsch" };

let now: Language = "en";

export function language(): Language {
  return now;
}

export function setLanguage(next: Language): void {
  now = next;
}

/** The first language of the system that is spoken here; else English. */
export function spoken(choice: LanguageChoice, system: readonly string[]): Language {
  if (choice !== "system") return choice;
  for (const tag of system) {
    const found = LANGUAGES.find((known) => tag.toLowerCase().split("-")[0] === known);
    if (found) return found;
  }
  return "en";
}
