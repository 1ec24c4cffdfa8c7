// JSON that has not ended yet, as far as it can be read: what a model is writing. Never throws; it knows nothing of plans.

export type Partial = null | boolean | string | Partial[] | { [key: string]: Partial };
/** `isWhole`: it has ended. Numbers stay the text that they were written with. */
export type PartialRead = { value: Partial; at: number; isWhole: boolean };

const DEEPEST = 40;
const SPACE = /\s/;
const WORD = /[-+.\w]/;
const ESCAPED: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** The value that begins at `from`; null where none does, or not yet. */
export function readPartial(text: string, from: number, depth = 0): PartialRead | null {
  const at = skip(text, from);
  const first = text[at];
  if (first === undefined || depth > DEEPEST) return null;
  if (first === '"') return readText(text, at);
  if (first === "[") return readList(text, at, depth);
  if (first === "{") return readObject(text, at, depth);
  return WORD.test(first) ? readWord(text, at) : null;
}

function skip(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.test(text[at] ?? "")) at += 1;
  return at;
}

function readText(text: string, from: number): PartialRead {
  let value = "";
  let at = from + 1;
  for (; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') return { value, at: at + 1, isWhole: true };
    if (char !== "\\") {
      value += char;
      continue;
    }
    const next = text[++at];
    if (next === "u") {
      const code = Number.parseInt(text.slice(at + 1, at + 5), 16);
      if (at + 5 > text.length || Number.isNaN(code)) break;
      value += String.fromCharCode(code);
      at += 4;
    } else value += next === undefined ? "" : (ESCAPED[next] ?? next);
  }
  return { value, at: text.length, isWhole: false };
}

function readWord(text: string, from: number): PartialRead {
  let at = from;
  while (at < text.length && WORD.test(text[at] ?? "")) at += 1;
  const word = text.slice(from, at);
  const value = word === "null" ? null : word === "true" ? true : word === "false" ? false : word;
  return { value, at, isWhole: at < text.length };
}

function readList(text: string, from: number, depth: number): PartialRead {
  const value: Partial[] = [];
  let at = skip(text, from + 1);
  while (at < text.length && text[at] !== "]") {
    const item = readPartial(text, at, depth + 1);
    if (!item) return { value, at: text.length, isWhole: false };
    value.push(item.value);
    if (!item.isWhole) return { value, at: text.length, isWhole: false };
    at = skip(text, item.at);
    if (text[at] === ",") at = skip(text, at + 1);
    else if (text[at] !== "]") return { value, at: text.length, isWhole: false };
  }
  return { value, at: at + 1, isWhole: at < text.length };
}

function readObject(text: string, from: number, depth: number): PartialRead {
  const value: { [key: string]: Partial } = {};
  const cut: PartialRead = { value, at: text.length, isWhole: false };
  let at = skip(text, from + 1);
  while (at < text.length && text[at] !== "}") {
    const key = text[at] === '"' ? readText(text, at) : null;
    if (!key?.isWhole || typeof key.value !== "string") return cut;
    at = skip(text, key.at);
    if (text[at] !== ":") return cut;
    const item = readPartial(text, at + 1, depth + 1);
    if (!item) return cut;
    if (key.value !== "__proto__") value[key.value] ??= item.value;
    if (!item.isWhole) return cut;
    at = skip(text, item.at);
    if (text[at] === ",") at = skip(text, at + 1);
    else if (text[at] !== "}") return cut;
  }
  return { value, at: at + 1, isWhole: at < text.length };
}
