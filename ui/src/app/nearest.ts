// What a person may have meant by a word that nothing is called: the names with a word that is almost the same. Pure.

const MOST = 3;
const LONGEST = 24;

/** The closest first; empty where nothing is close. Words are compared up to their ends, so that a beginning is enough. */
export function nearest<T>(all: readonly T[], nameOf: (one: T) => string, text: string): T[] {
  const wanted = text.trim().toLowerCase().slice(0, LONGEST);
  const allowed = wanted.length < 4 ? 1 : wanted.length < 8 ? 2 : 3;
  if (wanted.length < 3) return [];
  const found = all.flatMap((one) => {
    const words = nameOf(one)
      .toLowerCase()
      .split(/[\s:,]+/);
    const distance = Math.min(...words.map((word) => distanceOf(wanted, word.slice(0, wanted.length + 1))));
    return distance <= allowed ? [{ one, distance }] : [];
  });
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ one }) => one);
}

/** Letters to add, leave out, change or swap with their neighbour (Damerau–Levenshtein, optimal string alignment). */
export function distanceOf(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, ix) => ix)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before?.[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last?.[b.length] ?? 0;
}
