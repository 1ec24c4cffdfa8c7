// Two runs side by side in the demo host: told from what they have played, by the engine's rules as far as a recording goes.
import type {
  ComparedRun,
  ComparedTask,
  CompareView,
  Difference,
  FamilyRow,
  OutputDiff,
  RunRow,
  TaskFacts,
  Verdict,
} from "../bindings";
import { Fault, type Host } from "../host";
import { type Json, parse, print, textOf } from "../json";
import { compareValues, NO_DIFFERENCE } from "./compareValues";
import { diffOf } from "./diff";
import type { Laid } from "./laid";
import type { DemoRun } from "./play";
import { costOf, FREE, sum } from "./reviewLine";
import { tasksOf } from "./ways";

type Draft = {
  run: string;
  title: string;
  path: string | null;
  document: Json;
  madeFrom: string | null;
  versions: { laid: Laid };
};
type Around = {
  rows: () => RunRow[];
  runs: ReadonlyMap<string, DemoRun>;
  find: (run: string) => Draft;
};
type Commands = Pick<Host, "compareRuns" | "compareOutputs" | "runFamily">;

const MODEL = "demo/gpt-5-mini";

export function comparing({ rows, runs, find }: Around): Commands {
  const output = (run: string, task: string | null): string | null => {
    const live = runs.get(run);
    return (task === null ? live?.output : live?.outputs.get(task)) ?? null;
  };
  /** A fork has done what it has taken over just as its parent did. */
  const facts = (run: string, task: string): TaskFacts | null => {
    const { madeFrom, versions } = find(run);
    const owner = madeFrom !== null && runs.has(madeFrom) && versions.laid.pins.has(task) ? madeFrom : run;
    return factsOf(runs.get(owner), find(owner), task);
  };
  const sideOf = (run: string): ComparedRun => {
    const row = rows().find((one) => one.run === run);
    if (!row) throw new Fault("not_found", `There is no run ${run} here. It may have been deleted.`);
    const live = runs.get(run);
    const docs = tasksOf(find(run).document).filter((doc) => live?.outputs.has(textOf(doc.id)));
    const cost = sum(docs.map((doc) => costOf(textOf(doc.task_type))));
    const calls = [...(live?.attempts.values() ?? [])].flat().flatMap((attempt) => attempt.calls);
    return {
      row,
      head: live?.events.length ?? 1,
      hasBegun: live !== undefined,
      numbers: {
        ranMs: row.ranMs ?? 0,
        waitedMs: 0,
        cost,
        toolCalls: calls.filter((call) => !call.isModel).length,
        retries: live?.events.filter((event) => event.kind === "task_retrying").length ?? 0,
        replans: 0,
        decisions: live?.events.filter((event) => event.kind === "decision_answered").length ?? 0,
      },
      models: cost.calls > 0 ? [{ name: MODEL, cost }] : [],
      executors: cost.calls > 0 ? [MODEL] : [],
    };
  };
  return {
    compareRuns: async (a, b) => {
      const plan = diffOf(find(a).document, find(b).document);
      const changes = new Map(plan.tasks.map((task) => [task.task, task]));
      const all = [...changes.keys()].map((task): ComparedTask => {
        const [ofA, ofB] = [facts(a, task), facts(b, task)];
        const verdict = verdictOf(output(a, task), output(b, task));
        const change = changes.get(task);
        const doc = [...tasksOf(find(b).document), ...tasksOf(find(a).document)].find((one) => one.id === task);
        return {
          task,
          title: change?.title ?? task,
          taskType: textOf(doc?.task_type),
          plan: change?.change ?? "kept",
          a: ofA,
          b: ofB,
          output: verdict,
          differs: differencesOf(change?.change ?? "kept", verdict, ofA, ofB),
        };
      });
      const tasks = all.filter((task) => task.differs.length > 0);
      const view: CompareView = {
        a: sideOf(a),
        b: sideOf(b),
        shared: sharedOf(find(a), find(b), runs),
        plan,
        planTrouble: null,
        tasks,
        tasksLeftOff: 0,
        same: all.length - tasks.length,
        sameButTime: 0,
        answer: verdictOf(output(a, null), output(b, null)),
      };
      return view;
    },
    compareOutputs: async (a, b, task, ignoreSpaces) => detailOf(task, output(a, task), output(b, task), ignoreSpaces),
    runFamily: async (run) => ({ rows: familyOf(find(run), rows(), find), leftOff: 0 }),
  };
}

function factsOf(live: DemoRun | undefined, draft: Draft, task: string): TaskFacts | null {
  const doc = tasksOf(draft.document).find((one) => one.id === task);
  if (!doc) return null;
  const now = live?.tasks.get(task);
  const isDone = now?.status === "COMPLETED";
  return {
    status: now?.status ?? "PENDING",
    attempts: now?.attempts ?? 0,
    workMs: isDone ? (now?.endedAt ?? 0) - (now?.startedAt ?? 0) : 0,
    cost: isDone ? costOf(textOf(doc.task_type)) : FREE,
    error: now?.error ?? null,
    summary: now?.summary ?? null,
  };
}

function verdictOf(a: string | null, b: string | null): Verdict {
  if (a === null || b === null) return a !== null ? "only_a" : b !== null ? "only_b" : "none";
  return a === b || print(parse(a)) === print(parse(b)) ? "same" : "differs";
}

function differencesOf(
  plan: ComparedTask["plan"],
  output: Verdict,
  a: TaskFacts | null,
  b: TaskFacts | null,
): Difference[] {
  const found: [Difference, boolean][] = [
    ["plan", plan !== "kept"],
    ["state", a?.status !== b?.status],
    ["output", output !== "same" && output !== "none"],
    ["error", a?.error?.message !== b?.error?.message],
    ["attempts", a?.attempts !== b?.attempts],
    ["cost", (a?.cost.usd ?? "0") !== (b?.cost.usd ?? "0")],
  ];
  return found.filter(([, differs]) => differs).map(([which]) => which);
}

/** A fork shares what was done when it was made; the demo takes the outputs over as pins, one event each. */
function sharedOf(a: Draft, b: Draft, runs: ReadonlyMap<string, DemoRun>): CompareView["shared"] {
  const parent = a.run === b.run || b.madeFrom === a.run ? a : a.madeFrom === b.run ? b : null;
  const live = parent === null ? undefined : runs.get(parent.run);
  if (!live) return null;
  const first = live.events[0]?.at ?? 0;
  const at = live.events.findIndex((event) => event.kind === "task_completed");
  const seq = a.run === b.run ? live.events.length : Math.max(1, at + 1);
  return { run: live.run, seq, ranMs: (live.events[seq - 1]?.at ?? first) - first, cost: FREE };
}

function detailOf(task: string | null, a: string | null, b: string | null, ignoreSpaces: boolean): OutputDiff {
  const side = (json: string | null) => ({ bytes: json === null ? null : json.length, digest: null, trouble: null });
  const verdict = verdictOf(a, b);
  const found =
    a !== null && b !== null && verdict === "differs" ? compareValues(parse(a), parse(b), ignoreSpaces) : NO_DIFFERENCE;
  return { task, verdict, a: side(a), b: side(b), isTooLarge: false, valuesLeftOff: 0, ...found };
}

function familyOf(of: Draft, rows: readonly RunRow[], find: (run: string) => Draft): FamilyRow[] {
  const rootOf = (draft: Draft): string => (draft.madeFrom === null ? draft.run : rootOf(find(draft.madeFrom)));
  const depthOf = (draft: Draft): number => (draft.madeFrom === null ? 0 : depthOf(find(draft.madeFrom)) + 1);
  const kin = (row: RunRow) => rootOf(find(row.run)) === rootOf(of);
  const told = (row: RunRow, kin: FamilyRow["kin"]): FamilyRow => {
    const { madeFrom } = find(row.run);
    return {
      row,
      kin,
      depth: kin === "fork" ? depthOf(find(row.run)) : 0,
      forkedAt: madeFrom ? 9 : null,
      parent: madeFrom,
    };
  };
  const others = rows.filter((row) => !kin(row));
  const isSame = (row: RunRow) => of.path !== null && find(row.run).path === of.path;
  return [
    ...[...rows]
      .reverse()
      .filter(kin)
      .map((row) => told(row, "fork")),
    ...others.filter(isSame).map((row) => told(row, "same_plan")),
    ...others.filter((row) => !isSame(row)).map((row) => told(row, "other")),
  ];
}
