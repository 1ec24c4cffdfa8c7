// Every text that a person sees, by key and typed. English is whole; what another language does not say yet is said in
// English. `t` is one object for good: another language is written into it, so that whoever holds a part of it holds on.
import { approval as deApproval } from "./de/approval";
import { canvas as deCanvas, time as deTime } from "./de/canvas";
import { compare as deCompare } from "./de/compare";
import { editor as deEditor } from "./de/editor";
import { estimate as deEstimate } from "./de/estimate";
import { exporting as deExporting } from "./de/exporting";
import { home as deHome, lists as deLists } from "./de/home";
import { inbox as deInbox } from "./de/inbox";
import { inspector as deInspector } from "./de/inspector";
import { keys as deKeys } from "./de/keys";
import { plan as dePlan } from "./de/plan";
import { composer as deComposer, planning as dePlanning } from "./de/planning";
import { proposal as deProposal } from "./de/proposal";
import { replan as deReplan } from "./de/replan";
import { review as deReview } from "./de/review";
import { run as deRun, trace as deTrace } from "./de/run";
import { schedule as deSchedule } from "./de/schedule";
import { servers as deServers } from "./de/servers";
import { settings as deSettings } from "./de/settings";
import { keyGroups as deKeyGroups, shell as deShell } from "./de/shell";
import { keeping as deKeeping, storage as deStorage } from "./de/storage";
import { form as deForm, values as deValues } from "./de/values";
import { holds as deHolds, trying as deTrying, versions as deVersions } from "./de/versions";
import { words as deWords } from "./de/words";
import { approval } from "./en/approval";
import { canvas, time } from "./en/canvas";
import { compare } from "./en/compare";
import { editor } from "./en/editor";
import { estimate } from "./en/estimate";
import { exporting } from "./en/exporting";
import { home, lists } from "./en/home";
import { inbox } from "./en/inbox";
import { inspector } from "./en/inspector";
import { plan } from "./en/plan";
import { composer, planning } from "./en/planning";
import { proposal } from "./en/proposal";
import { replan } from "./en/replan";
import { review } from "./en/review";
import { run, trace } from "./en/run";
import { schedule } from "./en/schedule";
import { servers } from "./en/servers";
import { settings } from "./en/settings";
import { keyGroups, shell } from "./en/shell";
import { keeping, storage } from "./en/storage";
import { form, values } from "./en/values";
import { holds, trying, versions } from "./en/versions";
import { words } from "./en/words";
import { type Language, language, setLanguage } from "./language";
import type { Part } from "./part";

export const english = {
  approval,
  canvas,
  compare,
  composer,
  editor,
  estimate,
  form,
  holds,
  home,
  inbox,
  inspector,
  exporting,
  keeping,
  keyGroups,
  lists,
  plan,
  planning,
  proposal,
  replan,
  review,
  run,
  schedule,
  servers,
  settings,
  shell,
  storage,
  time,
  trace,
  trying,
  values,
  versions,
  words,
};
export type Texts = typeof english;

export const german: Part<Texts> = {
  approval: deApproval,
  canvas: deCanvas,
  compare: deCompare,
  composer: deComposer,
  editor: deEditor,
  estimate: deEstimate,
  form: deForm,
  holds: deHolds,
  home: deHome,
  inbox: deInbox,
  inspector: deInspector,
  exporting: deExporting,
  keeping: deKeeping,
  keyGroups: deKeyGroups,
  lists: deLists,
  plan: dePlan,
  planning: dePlanning,
  proposal: deProposal,
  replan: deReplan,
  review: deReview,
  run: deRun,
  schedule: deSchedule,
  servers: deServers,
  settings: deSettings,
  shell: deShell,
  storage: deStorage,
  time: deTime,
  trace: deTrace,
  trying: deTrying,
  values: deValues,
  versions: deVersions,
  words: deWords,
};

type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes every text into the tree: in its own language where that says it, else in English. */
function write(into: Tree, usual: Tree, own: unknown): Tree {
  for (const [key, text] of Object.entries(usual)) {
    const said = isTree(own) ? own[key] : undefined;
    if (isTree(text)) into[key] = write(isTree(into[key]) ? into[key] : bare(), text, said);
    else into[key] = said ?? text;
  }
  return into;
}

/** Without a prototype: words are looked up by what foreign documents say, such as a kind of task called `toString`. */
const bare = (): Tree => Object.create(null) as Tree;

export const t = write(bare(), english, undefined) as Texts;

/** From now on in this language. What is on screen has to be drawn anew. */
export function speak(next: Language): void {
  if (next === language()) return;
  setLanguage(next);
  write(t as unknown as Tree, english, next === "de" ? german : undefined);
}

/** What a key does, given in English. */
export function keyText(text: string): string {
  return language() === "de" ? (deKeys[text] ?? text) : text;
}
