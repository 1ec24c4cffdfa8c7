// Every pair of colours that lies on another meets its ratio (WCAG 2), in both themes. Read from the tokens as shipped.
// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../src/styles/tokens.css"), "utf8");

function tokensOf(theme: "dark" | "light"): Record<string, string> {
  const block = css.split(`[data-theme="${theme}"] {`)[1]?.split("}")[0] ?? "";
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\s*;/g)].map((m) => [m[1]!, m[2]!]));
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function ratio(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
  return (x! + 0.05) / (y! + 0.05);
}

const SURFACES = ["canvas", "app", "panel", "raised", "control"];
const TONES = ["running", "completed", "retrying", "doubt", "failed"];

/** The parts that the case of the blank window lists, and all text of the app beside them. */
const PAIRS: [string, string, string, number][] = [
  ["zoom controls icon on button", "t2", "panel", 3],
  ["zoom controls icon, pointed at", "t1", "hover", 3],
  ["minimap node on mask", "mini", "panel", 3],
  ["edge label on canvas", "t2", "canvas", 4.5],
  ["selected edge label", "accent", "accent-tint", 4.5],
  ["selected edge on canvas", "accent", "canvas", 3],
  ["focus ring on canvas", "accent", "canvas", 3],
  ["focus ring on panel", "accent", "panel", 3],
  ["error text in card", "failed", "b-failed", 4.5],
  ["error text in a panel", "failed", "panel", 4.5],
  ["edge on canvas", "edge", "canvas", 3],
  ["waiting edge on canvas", "edge-dim", "canvas", 3],
  ["untrusted edge on canvas", "taint", "canvas", 3],
  ["border of a field", "line3", "panel", 3],
  ["text on the solid waiting fill", "on-waiting", "b-waiting", 4.5],
  ["text of the primary button", "on-accent", "accent", 4.5],
  ["badge of an error", "on-failed", "failed", 4.5],
  ...["add", "rem", "chg"].flatMap<[string, string, string, number]>((mark) => [
    [`text of a card that is ${mark}`, "t1", `${mark}-b`, 4.5],
    [`dim text of a card that is ${mark}`, "t3", `${mark}-b`, 4.5],
    [`mark ${mark} on the canvas`, mark, "canvas", 3],
    [`mark ${mark} on a panel`, mark, "panel", 3],
  ]),
  ["a bar of the time axis", "bar", "panel", 3],
  ["a name in a bar of the time axis", "on-bar", "bar", 4.5],
  ["word on the mark of an added card", "on-failed", "add", 4.5],
  ["word on the mark of a changed card", "on-failed", "chg", 4.5],
  ["word on the mark of a removed card", "rem", "rem-b", 4.5],
  ["model tile", "fm-f", "fm-b", 4.5],
  ["machine tile", "fx-f", "fx-b", 4.5],
  ["person tile", "fp-f", "fp-b", 4.5],
  ...SURFACES.flatMap<[string, string, string, number]>((s) =>
    ["t1", "t2", "t3"].map((t) => [`${t} on ${s}`, t, s, 4.5]),
  ),
  ...TONES.flatMap<[string, string, string, number]>((tone) => [
    [`${tone} on its own tint`, tone, `b-${tone}`, 4.5],
    [`${tone} on a card`, tone, "raised", 4.5],
    [`${tone} on a pending card`, tone, "panel", 4.5],
  ]),
];

describe.each(["dark", "light"] as const)("contrast, %s", (theme) => {
  const tokens = tokensOf(theme);
  it.each(PAIRS)("%s: %s on %s is at least %d", (_, front, back, least) => {
    expect(tokens[front], front).toBeDefined();
    expect(tokens[back], back).toBeDefined();
    expect(ratio(tokens[front]!, tokens[back]!)).toBeGreaterThanOrEqual(least);
  });
});

describe("the two themes", () => {
  it("name the same colours", () => {
    expect(Object.keys(tokensOf("light")).sort()).toEqual(Object.keys(tokensOf("dark")).sort());
  });
});
