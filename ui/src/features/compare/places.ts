// The places at which two outputs differ, in order, and their lines side by side. Pure.
import type { Hunk, HunkLine, OutputDiff } from "../../ipc/bindings";

/** A change in a hunk of a text, or a value, by its number in the output. */
export type PlaceOf = { text: number; hunk: number; change: number } | { value: number };

export function placesOf(output: OutputDiff): PlaceOf[] {
  const texts = output.texts.flatMap((text, ix) =>
    text.hunks.flatMap((hunk, at) =>
      Array.from({ length: changesIn(hunk) }, (_, change) => ({ text: ix, hunk: at, change })),
    ),
  );
  return [...texts, ...output.values.map((_, value) => ({ value }))];
}

function changesIn(hunk: Hunk): number {
  const isChange = (line: HunkLine | undefined) => line !== undefined && (line.a === null || line.b === null);
  return hunk.lines.filter((line, at) => isChange(line) && !isChange(hunk.lines[at - 1])).length;
}

/** One line of the picture: what stands at either side, and of which change it is; null: equal in both. */
export type Row = { a: HunkLine | null; b: HunkLine | null; change: number | null };

/** Lines that differ stand beside each other as far as they go; the longer side goes on alone. */
export function rowsOf(hunk: Hunk): Row[] {
  const rows: Row[] = [];
  let change: { a: HunkLine[]; b: HunkLine[] } = { a: [], b: [] };
  let closed = 0;
  const close = () => {
    const length = Math.max(change.a.length, change.b.length);
    for (let ix = 0; ix < length; ix += 1)
      rows.push({ a: change.a[ix] ?? null, b: change.b[ix] ?? null, change: closed });
    if (length > 0) closed += 1;
    change = { a: [], b: [] };
  };
  for (const line of hunk.lines) {
    if (line.a !== null && line.b !== null) {
      close();
      rows.push({ a: line, b: line.other === null ? line : { ...line, text: line.other }, change: null });
    } else if (line.a !== null) change.a.push(line);
    else change.b.push(line);
  }
  close();
  return rows;
}

/** A text in three parts, the middle one being what differs from the other text. */
export type Parts = readonly [before: string, own: string, after: string];

/** What is equal at both ends of two lines is left out of the mark; without anything equal, the whole line is marked. */
export function partsOf(text: string, other: string | null): Parts {
  if (other === null) return ["", text, ""];
  const [own, its] = [[...text], [...other]];
  let head = 0;
  while (head < own.length && head < its.length && own[head] === its[head]) head += 1;
  let tail = 0;
  while (tail < own.length - head && tail < its.length - head && own.at(-1 - tail) === its.at(-1 - tail)) tail += 1;
  const end = own.length - tail;
  return [own.slice(0, head).join(""), own.slice(head, end).join(""), own.slice(end).join("")];
}
