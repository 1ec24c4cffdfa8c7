// How the demo host finds plans and runs: a plain look through what it holds, in the words of the real query.
import type { FoundMark, HitView, RunRow, RunsAsked } from "../bindings";
import { Fault, type Host } from "../host";
import { isObject, type Json, print, textOf } from "../json";
import { tasksOf } from "./ways";

type Held = {
  rows: () => RunRow[];
  plan: (run: string) => Json;
  /** JSON texts by task. */
  outputs: (run: string) => ReadonlyMap<string, string>;
  tag: (run: string, tags: string[]) => void;
};

/** A text before it is cut down to a line. */
type Text = Omit<HitView, "snippet" | "marks"> & { text: string };

type Finding = Pick<Host, "findRuns" | "search" | "tagRun" | "runSizes">;

const MOST_TAGS = 20;

/** Words and phrases, in small letters; `tag:` and `run:` apart. */
function read(asked: RunsAsked): { words: string[]; tags: string[]; run: string | null } {
  const pieces = asked.text.match(/"[^"]*"?|[^\s"]+/g) ?? [];
  const tags = [...asked.tags];
  const words: string[] = [];
  let run: string | null = null;
  for (const piece of pieces) {
    if (piece.startsWith("tag:")) tags.push(piece.slice(4).toLowerCase());
    else if (piece.startsWith("run:")) run = piece.slice(4);
    else words.push(piece.replaceAll('"', "").replace(/\*$/, "").toLowerCase());
  }
  return { words: words.filter((word) => /[\p{L}\p{N}]/u.test(word)), tags, run };
}

function fits(row: RunRow, asked: RunsAsked): boolean {
  const { tags, run } = read(asked);
  const isDraft = row.status === "AWAITING_APPROVAL";
  return (
    (asked.drafts === null || asked.drafts === isDraft) &&
    (asked.states.length === 0 || asked.states.includes(row.status)) &&
    (asked.since === null || (row.changedAt ?? 0) >= asked.since) &&
    tags.every((tag) => row.tags.includes(tag)) &&
    (run === null || row.run.startsWith(run))
  );
}

function marksOf(text: string, words: readonly string[]): FoundMark[] {
  const letters = Array.from(text.toLowerCase());
  const marks: FoundMark[] = [];
  for (const word of words) {
    const sought = Array.from(word);
    for (let at = 0; at + sought.length <= letters.length; at += 1)
      if (sought.every((letter, ix) => letters[at + ix] === letter)) marks.push({ from: at, to: at + sought.length });
  }
  return marks
    .sort((a, b) => a.from - b.from)
    .filter((mark, ix, all) => ix === 0 || mark.from >= (all[ix - 1]?.to ?? 0));
}

/** Forks right behind what they were made from. */
function inFamilies(rows: readonly RunRow[]): RunRow[] {
  const there = new Set(rows.map((row) => row.run));
  const forks = new Map<string, RunRow[]>();
  const roots: RunRow[] = [];
  for (const row of rows) {
    if (row.parent !== null && there.has(row.parent)) forks.set(row.parent, [...(forks.get(row.parent) ?? []), row]);
    else roots.push({ ...row, parent: null });
  }
  const withForks = (row: RunRow): RunRow[] => [row, ...(forks.get(row.run) ?? []).flatMap(withForks)];
  return roots.flatMap(withForks);
}

export function finding({ rows, plan, outputs, tag }: Held): Finding {
  const of = (asked: RunsAsked) => rows().filter((row) => fits(row, asked));
  const texts = (row: RunRow): Text[] => {
    const base = { run: row.run, title: row.title, status: row.status };
    const planned = tasksOf(plan(row.run)).map((task) => ({
      ...base,
      task: textOf(task.id),
      place: "plan" as const,
      seq: null,
      text: [task.title, task.instruction].filter((part) => typeof part === "string").join(" "),
    }));
    const given = [...outputs(row.run)].map(([task, text]) => ({
      ...base,
      task,
      place: "output" as const,
      seq: 1,
      text,
    }));
    const goal = { ...base, task: null, place: "plan" as const, seq: null, text: row.goal ?? row.title };
    return [goal, ...given, ...planned];
  };
  return {
    findRuns: async (asked) => {
      const { words } = read(asked);
      const ofKind = rows().filter((row) => fits(row, { ...asked, states: [], tags: [], since: null, text: "" }));
      const said = (row: RunRow) => `${row.title} ${row.goal ?? ""} ${row.tags.join(" ")} ${row.run}`.toLowerCase();
      const found = inFamilies(of(asked).filter((row) => words.every((word) => said(row).includes(word))));
      const counts = new Map<string, number>();
      for (const name of ofKind.flatMap((row) => row.tags)) counts.set(name, (counts.get(name) ?? 0) + 1);
      const tags = [...counts].map(([name, count]) => ({ tag: name, count })).sort((a, b) => b.count - a.count);
      return { rows: found.slice(0, asked.limit), total: found.length, isAny: ofKind.length > 0, tags, notes: [] };
    },
    search: async (asked) => {
      const { words } = read(asked);
      const all = of(asked).flatMap(texts);
      const hits = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
      const shown = hits.slice(0, asked.limit).map(({ text, ...hit }) => {
        const at = text.toLowerCase().indexOf(words[0] ?? "");
        const from = Math.max(0, at - 60);
        const snippet = `${from > 0 ? "…" : ""}${text.slice(from, from + 180)}`;
        return { ...hit, snippet, marks: marksOf(snippet, words) };
      });
      return { hits: shown, more: hits.length - shown.length, behind: 0, notes: [] };
    },
    tagRun: async (run, add, remove) => {
      const row = rows().find((one) => one.run === run);
      if (!row) throw new Fault("not_found", `There is no run ${run} here.`);
      const read = add.map((word) => word.trim().toLowerCase());
      const bad = read.find((word) => !/^[\p{L}\p{N}][\p{L}\p{N}\-_./]{0,31}$/u.test(word));
      if (bad !== undefined)
        throw new Fault("bad_tag", `A tag is one word, which \`${bad}\` is not. Nothing was recorded.`);
      const tags = [...new Set([...row.tags, ...read])].filter((word) => !remove.includes(word)).sort();
      if (tags.length > MOST_TAGS)
        throw new Fault("many_tags", `A run has at most ${MOST_TAGS} tags. Nothing was recorded.`);
      tag(run, tags);
      return tags;
    },
    runSizes: async (runs) => {
      const size = (run: string) => {
        const document = plan(run);
        return isObject(document) ? print(document).length : 0;
      };
      return runs.map((run) => ({ run, bytes: size(run), files: 0 }));
    },
  };
}
