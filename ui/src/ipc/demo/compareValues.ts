// Two JSON values and two texts side by side for the demo host: small ones, by the engine's rules.
import type { HunkLine, OutputDiff, TextDiff, ValueDiff } from "../bindings";
import { isObject, type Json, print, step } from "../json";

type Found = Pick<OutputDiff, "texts" | "values" | "equalValues">;

export const NO_DIFFERENCE: Found = { texts: [], values: [], equalValues: 0 };

export function compareValues(a: Json, b: Json, ignoreSpaces: boolean): Found {
  const found: Found = { texts: [], values: [], equalValues: 0 };
  const tell = (atA: string, atB: string, one: Json | undefined, two: Json | undefined) => {
    const shown = (value: Json | undefined) => (value === undefined ? null : { json: print(value), leftOut: 0 });
    const at = { a: one === undefined ? null : atA, b: two === undefined ? null : atB };
    found.values.push({ at, a: shown(one), b: shown(two) } satisfies ValueDiff);
  };
  const goInto = (atA: string, atB: string, one: Json | undefined, two: Json | undefined): void => {
    if (one === undefined || two === undefined) tell(atA, atB, one, two);
    else if (print(one) === print(two)) {
      found.equalValues += 1;
    } else if (isObject(one) && isObject(two)) {
      const keys = [...Object.keys(one), ...Object.keys(two).filter((key) => !(key in one))];
      for (const key of keys) goInto(atA + step(key), atB + step(key), one[key], two[key]);
    } else if (Array.isArray(one) && Array.isArray(two)) {
      const texts = (list: Json[]) => list.map((item) => print(item));
      for (const { a: from, b: to, isSame } of stretches(texts(one), texts(two))) {
        if (isSame) found.equalValues += from.length;
        else
          for (let ix = 0; ix < Math.max(from.length, to.length); ix += 1) {
            const [x, y] = [from[ix], to[ix]];
            goInto(`${atA}/${x ?? ""}`, `${atB}/${y ?? ""}`, one[x ?? -1], two[y ?? -1]);
          }
      }
    } else if (typeof one === "string" && typeof two === "string" && `${one}${two}`.includes("\n")) {
      found.texts.push(compareTexts(one, two, { a: atA, b: atB }, ignoreSpaces));
    } else tell(atA, atB, one, two);
  };
  goInto("", "", a, b);
  return found;
}

type Stretch = { a: number[]; b: number[]; isSame: boolean };

/** By the longest common subsequence; the demo's outputs have some dozen entries. */
function stretches(a: readonly string[], b: readonly string[]): Stretch[] {
  const longest = a.map(() => b.map(() => 0));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = longest[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const found: Stretch[] = [];
  const add = (isSame: boolean, i: number | null, j: number | null) => {
    const last = found[found.length - 1];
    const into = last?.isSame === isSame ? last : { a: [], b: [], isSame };
    if (into !== last) found.push(into);
    if (i !== null) into.a.push(i);
    if (j !== null) into.b.push(j);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add(true, i++, j++);
    else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) add(false, i++, null);
    else add(false, null, j++);
  }
  return found;
}

const AROUND = 3;

function compareTexts(one: string, two: string, places: TextDiff["at"], ignoreSpaces: boolean): TextDiff {
  const [a, b] = [one.split("\n"), two.split("\n")];
  const key = (line: string) => (ignoreSpaces ? line.trim().split(/\s+/).join(" ") : line);
  const found = stretches(a.map(key), b.map(key));
  const line = (i: number | null, j: number | null): HunkLine => {
    const [own, its] = [i === null ? undefined : a[i], j === null ? undefined : b[j]];
    const other = own !== undefined && its !== undefined && own !== its ? its : null;
    const number = (at: number | null) => (at === null ? null : at + 1);
    return { a: number(i), b: number(j), text: own ?? its ?? "", other, leftOut: 0 };
  };
  const hunks: TextDiff["hunks"] = [];
  const same = (part: Stretch | undefined, from: number, to?: number) =>
    part ? part.a.map((i, at) => line(i, part.b[at] ?? null)).slice(from, to) : [];
  found.forEach((stretch, ix) => {
    if (stretch.isSame) return;
    const [before, after] = [found[ix - 1], found[ix + 1]];
    const isNear = hunks.length > 0 && (before?.a.length ?? 0) <= 2 * AROUND;
    // Changes whose surroundings meet are one hunk.
    if (!isNear) hunks.push({ lines: same(before, -AROUND), aLeftOut: 0, bLeftOut: 0 });
    const isFarFromNext = (after?.a.length ?? 0) > 2 * AROUND || ix + 2 >= found.length;
    hunks[hunks.length - 1]?.lines.push(
      ...stretch.a.map((i) => line(i, null)),
      ...stretch.b.map((j) => line(null, j)),
      ...same(after, 0, isFarFromNext ? AROUND : undefined),
    );
  });
  const equal = found.filter((stretch) => stretch.isSame).reduce((sum, stretch) => sum + stretch.a.length, 0);
  return {
    at: places,
    hunks,
    changes: found.filter((stretch) => !stretch.isSame).length,
    hunksLeftOff: 0,
    equalLines: equal,
    aLines: a.length,
    bLines: b.length,
    isCoarse: false,
  };
}
