// German against English: nothing is missing, nothing is said that nobody asks for, and numbers and plurals follow the
// language.
import { afterEach, describe, expect, it } from "vitest";
import { keys as germanKeys } from "./de/keys";
import { KEYS } from "./en/keys";
import { age, bytes, count, dollars, inside, list, money, priceText, span, when } from "./format";
import { english, german, isTree, keyText, speak, t } from "./index";
import { spoken } from "./language";

/** The same in both languages, so German need not say it. */
const SAME = new Set(
  "words.app approval.more canvas.card composer.minutes composer.unit composer.usualCaps composer.usualMinutes inbox.from inbox.asJson inbox.ofKind replan.cost inspector.ms inspector.seconds plan.fix plan.json proposal.field proposal.sign replan.field replan.sign versions.field estimate.tokens plan.planSettings plan.fieldNotes.version plan.fieldNotes.id settings.providerNames".split(
    " ",
  ),
);

function paths(tree: unknown, at = ""): string[] {
  if (!isTree(tree)) return [at];
  return Object.entries(tree).flatMap(([key, value]) => paths(value, at ? `${at}.${key}` : key));
}

/** Texts that stand without a number or a name in them, by their path. */
function texts(tree: unknown, at = ""): [string, string][] {
  if (typeof tree === "string") return [[at, tree]];
  if (!isTree(tree)) return [];
  return Object.entries(tree).flatMap(([key, value]) => texts(value, at ? `${at}.${key}` : key));
}

function missing(): string[] {
  const said = new Set(paths(german));
  const isSame = (path: string) => [...SAME].some((same) => path === same || path.startsWith(`${same}.`));
  return paths(english).filter((path) => !said.has(path) && !isSame(path));
}

afterEach(() => speak("en"));

describe("German", () => {
  it("says all that English says", () => {
    expect(missing()).toEqual([]);
    const texts = KEYS.flatMap((group) => group.keys.map(([, text]) => text));
    expect(texts.filter((text) => !(text in germanKeys))).toEqual([]);
  });

  it("is said by Sie, with real quotation marks and ellipses, and not left in English", () => {
    const wrong = texts(german).filter(([, text]) => /\b(du|dir|dich|dein\w*|bitte)\b|"|\.\.\.|!/i.test(text));
    expect(wrong).toEqual([]);
    const own = new Map(texts(german));
    const same = texts(english).filter(([path, text]) => own.get(path) === text && /[a-z]{4,} [a-z]{3,}/i.test(text));
    expect(same).toEqual([]);
  });

  it("stays short where a button or a tag has little room", () => {
    const own = new Map(texts(german));
    const long = texts(english).flatMap(([path, text]) => {
      const said = own.get(path) ?? "";
      return text.length <= 12 && said.length > 26 ? [`${path}: ${said}`] : [];
    });
    expect(long).toEqual([]);
  });

  it("says nothing that is gone from English", () => {
    const known = new Set(paths(english));
    expect(paths(german).filter((path) => !known.has(path))).toEqual([]);
    const texts = new Set(KEYS.flatMap((group) => group.keys.map(([, text]) => text)));
    expect(Object.keys(germanKeys).filter((text) => !texts.has(text))).toEqual([]);
  });

  it("holds for whoever has taken a part of the texts before", () => {
    const acts = t.plan.acts;
    speak("de");
    expect(acts.copy).toBe("Kopieren");
    expect(t.words.app).toBe("Planloom");
    expect(keyText("Select all")).toBe("Alles wählen");
    speak("en");
    expect(acts.copy).toBe("Copy");
  });

  it("counts, measures and adds up in its own way", () => {
    const now = new Date(2026, 10, 30, 15, 0).getTime();
    speak("de");
    expect([t.home.tasks(1), t.home.tasks(1200)]).toEqual(["1 Aufgabe", "1.200 Aufgaben"]);
    expect([span(9100), bytes(1536), money("0.05"), dollars("1.5"), dollars("0")]).toEqual([
      "9,1 s",
      "1,5 KiB",
      "0,050 $",
      "1,50 $",
      "kostenlos",
    ]);
    expect([when(now - 22 * 60_000, now), when(now - 86_400_000, now), age(now, now)]).toEqual([
      "vor 22 min",
      "gestern 15:00",
      "jetzt",
    ]);
    expect(list(["a", "b", "c"])).toBe("a, b und c");
    expect(priceText({ isFree: false, price: { input: "0.5", output: "1.25" } })).toBe("0,50 $ / 1,25 $");
    expect(inside("Werkzeug")).toBe("Werkzeug");
    speak("en");
    expect([count(1200, "task"), inside("Tool")]).toEqual(["1,200 tasks", "tool"]);
  });

  it("is chosen by the system's first language that is known", () => {
    expect(spoken("system", ["fr-FR", "de-AT", "en"])).toBe("de");
    expect(spoken("system", ["fr"])).toBe("en");
    expect(spoken("en", ["de"])).toBe("en");
  });
});
