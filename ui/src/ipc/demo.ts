// The demo host: the whole window in a plain browser, on sample data in memory. It says so in the status bar.
import type { DecisionView, DraftView, PlanEdit, RevisedHow, RunRow } from "./bindings";
import { approvalOf, dryRunIn, estimateIn, refuseSigning, weighIn } from "./demo/approval";
import { changing } from "./demo/changing";
import { leftOutOf } from "./demo/choices";
import { viewOf } from "./demo/draft";
import { applyEdit } from "./demo/edits";
import { exporting } from "./demo/exporting";
import { finding } from "./demo/finding";
import { keeping } from "./demo/keeping";
import type { Moment } from "./demo/laid";
import { type DemoModels, demoModels } from "./demo/models";
import { placed } from "./demo/place";
import { EMPTY_PLAN } from "./demo/plan";
import { DemoPlanning } from "./demo/planning";
import { DemoRun } from "./demo/play";
import { NOTHING_SPENT } from "./demo/recorded";
import { noReplans } from "./demo/replans";
import { reviewing } from "./demo/review";
import { SAMPLES, sampleCards } from "./demo/samples";
import { serving } from "./demo/servers";
import { speak } from "./demo/turns";
import { DemoVersions, editLabel, versionCommands } from "./demo/versions";
import { refusal, tasksOf } from "./demo/ways";
import { Fault, type Host } from "./host";
import { type Json, parse, print, put, textOf } from "./json";

type Draft = {
  run: string;
  title: string;
  path: string | null;
  revision: number;
  document: Json;
  past: Moment[];
  future: Moment[];
  changedAt: number;
  madeFrom: string | null;
  versions: DemoVersions;
  /** What a person calls it. */
  name: string | null;
  tags: string[];
  /** The run whose log it shares. */
  forkOf: string | null;
};

const MOST_UNDO = 200;
const LONGEST_TITLE = 60;

/** The first line of a goal, as far as it fits into a list. */
function titleOf(goal: string): string {
  const line = goal.trim().split("\n")[0] ?? "";
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line;
}

const titleShown = (draft: Draft) => draft.name ?? draft.title;

/** `pace` under 1 plays runs faster; tests use it. */
export function demoHost({ pace = 1, models: kind = "some" }: { pace?: number; models?: DemoModels } = {}): Host {
  const drafts = new Map<string, Draft>();
  const plannings = new Map<string, DemoPlanning>();
  const models = demoModels(kind, pace);
  const runs = new Map<string, DemoRun>();
  const signed = new Map<string, DraftView>();
  let made = 0;

  const add = (title: string, path: string | null, text: string): Draft => {
    const run = `demo-${++made}`;
    const document = parse(text);
    const more = {
      past: [],
      future: [],
      changedAt: Date.now(),
      madeFrom: null,
      versions: new DemoVersions(),
      name: null,
      tags: [],
      forkOf: null,
    };
    const draft = { run, title, path, revision: 1, document, ...more };
    draft.versions.keep(1, document, "document");
    drafts.set(run, draft);
    return draft;
  };
  const find = (run: string): Draft => {
    const draft = drafts.get(run);
    if (!draft)
      throw new Fault(
        "not_found",
        `There is no run ${run} here. It may have been deleted, or the demo was loaded again.`,
      );
    return draft;
  };
  const editable = (run: string): Draft => {
    if (runs.has(run))
      throw new Fault(
        "conflict",
        "This plan has been approved and is locked. Nothing was changed. Edit it as a new draft.",
      );
    return find(run);
  };
  const playing = (run: string): DemoRun => {
    const live = runs.get(run);
    if (!live) throw new Fault("not_found", `Run ${run} has not been approved. Approve its plan first.`);
    return live;
  };
  const planned = (run: string): DemoPlanning => {
    const planning = plannings.get(run);
    if (!planning) throw new Fault("not_found", `Run ${run} did not begin with a goal. Nothing was asked.`);
    return planning;
  };
  /** What is there now can be come back to. */
  const keep = (draft: Draft, label = "the last edit") => {
    draft.past = [...draft.past, { document: draft.document, laid: draft.versions.laid.copy(), label }].slice(
      -MOST_UNDO,
    );
    draft.future = [];
  };
  const change = (draft: Draft, document: Json, how: RevisedHow = "document", label = "") => {
    keep(draft);
    draft.document = document;
    draft.revision += 1;
    draft.changedAt = Date.now();
    draft.versions.keep(draft.revision, document, how, label);
  };
  const show = (draft: Draft, document = draft.document, revision = draft.revision): DraftView =>
    draft.versions.laid.on(
      viewOf(draft.run, titleShown(draft), revision, draft.path, document, {
        isDraft: !runs.has(draft.run),
        canUndo: draft.past.length > 0,
        canRedo: draft.future.length > 0,
        undoLabel: draft.past[draft.past.length - 1]?.label ?? null,
        redoLabel: draft.future[draft.future.length - 1]?.label ?? null,
      }),
    );
  const rowOf = (draft: Draft): RunRow => {
    const live = runs.get(draft.run)?.row();
    const { tags, parent } = draftRow(draft);
    return live ? { ...live, title: titleShown(draft), tags, parent } : draftRow(draft);
  };
  const draftRow = (draft: Draft): RunRow => ({
    run: draft.run,
    title: titleShown(draft),
    goal: plannings.get(draft.run)?.view().goal ?? null,
    tags: draft.tags,
    parent: draft.forkOf !== null && drafts.has(draft.forkOf) ? draft.forkOf : null,
    status: "AWAITING_APPROVAL",
    revision: draft.revision,
    startedAt: draft.changedAt,
    changedAt: draft.changedAt,
    ranMs: null,
    counts: [{ status: "PENDING", count: tasksOf(draft.document).length }],
    openDecisions: plannings.get(draft.run)?.decisions.length ?? 0,
    spent: plannings.get(draft.run)?.spent() ?? NOTHING_SPENT,
    budget: { usd: null, tokens: null, seconds: null },
    owner: null,
    trouble: null,
  });
  const rows = () => [...drafts.values()].map(rowOf).reverse();
  const inbox = (): DecisionView[] => [...plannings.values(), ...runs.values()].flatMap((r) => r.decisions);
  const move = (run: string, from: "past" | "future", to: "past" | "future"): DraftView => {
    const draft = editable(run);
    const step = draft[from].pop();
    if (step === undefined) return show(draft);
    draft[to].push({ document: draft.document, laid: draft.versions.laid.copy(), label: step.label });
    draft.versions.laid = step.laid;
    if (step.document === draft.document) return show(draft);
    draft.document = step.document;
    draft.revision += 1;
    draft.versions.keep(draft.revision, step.document, from === "past" ? "undo" : "redo");
    return show(draft);
  };

  return {
    name: "demo",
    home: async () => ({ samples: sampleCards(), runs: rows().slice(0, 12), openDecisions: inbox().length }),
    listRuns: async () => rows(),
    openPlan: async (path) => {
      const sample = SAMPLES[path];
      if (!sample)
        throw new Fault("not_found", `${path} can't be read in the demo. Nothing was opened. Open a sample instead.`);
      const open = [...drafts.values()].find((d) => d.path === path && !runs.has(d.run));
      return show(open ?? add(sample.title, path, sample.text));
    },
    newPlan: async () => show(add("Untitled plan", null, EMPTY_PLAN)),
    choosePlanFile: async () => "samples/margin-report",
    chooseSaveFile: async (suggestion) => suggestion,
    draft: async (run) => show(find(run)),
    draftFromRun: async (run) => {
      const old = find(run);
      const draft = add(old.title, old.path, "{}");
      draft.document = old.document;
      draft.madeFrom = run;
      draft.versions.kept.length = 0;
      draft.versions.keep(1, draft.document, "document");
      draft.versions.laid.takeOver(old.versions.laid);
      return show(draft);
    },
    editDraft: async (run, revision, edits: PlanEdit[]) => {
      const draft = editable(run);
      if (revision !== draft.revision)
        throw new Fault("conflict", `The plan is at revision ${draft.revision}, not ${revision}. Nothing was changed.`);
      const next = edits.reduce(applyEdit, draft.document);
      plannings.get(run)?.takeOver();
      change(draft, next, "edit", editLabel(edits));
      return show(draft);
    },
    ...versionCommands({
      find,
      show: (draft, document, revision) => show(find(draft.run), document, revision),
      change: (draft, ...how) => change(find(draft.run), ...how),
      keep: (draft, label) => keep(find(draft.run), label),
      add,
      runs,
    }),
    undoDraft: async (run) => move(run, "past", "future"),
    redoDraft: async (run) => move(run, "future", "past"),
    connectVerdicts: async (run, from) => {
      const tasks = tasksOf(find(run).document);
      return tasks.map((t) => ({ to: textOf(t.id), refusal: refusal(tasks, from, textOf(t.id)) }));
    },
    savePlan: async (run, path) => path ?? find(run).path ?? "untitled.plan.json",
    openGoal: async (goal) => {
      const model = goal.model ?? models.planner();
      if (!model) throw new Fault("no_model", models.view().advice ?? "");
      const text = put(parse(EMPTY_PLAN), "/goal", goal.text.trim());
      const draft = add(titleOf(goal.text), null, print(text));
      const made = (plan: string) => change(draft, put(parse(plan), "/goal", goal.text.trim()));
      plannings.set(draft.run, new DemoPlanning(draft.run, goal, model, () => rowOf(draft), made, pace));
      return draft.run;
    },
    planOn: async (run) => planned(run).planOn(),
    leavePlanning: async (run) => planned(run).leave(),
    planning: async (run) => plannings.get(run)?.view() ?? null,
    ...changing(
      { find, change, show, planning: (run) => plannings.get(run), isRun: (run) => runs.has(run) },
      models,
      pace,
    ),
    chooseAttachments: async (folder) => (folder ? ["/home/ada/pricing"] : ["/home/ada/pricing/skus.csv"]),
    estimate: async (run) => estimateIn(show(find(run))),
    dryRun: async (run, _parameters, off) => dryRunIn(show(find(run)), off),
    approval: async (run) =>
      approvalOf(show(find(run)), signed.get(find(run).path ?? run) ?? null, models.planner() !== null),
    weighChoices: async (run, choices) => weighIn(show(find(run)), choices),
    approve: async (run, digest, _parameters, choices) => {
      const draft = find(run);
      refuseSigning(runs.has(run), digest, draft.revision);
      const { leftOut, refusal } = leftOutOf(draft.document, choices.off);
      if (refusal) throw new Fault("choices", refusal);
      const out = new Set(leftOut.map((left) => left.task));
      const view = show(draft);
      runs.set(
        run,
        new DemoRun(run, titleShown(draft), draft.revision, draft.document, pace, draft.versions.laid, out),
      );
      signed.set(draft.path ?? run, view);
    },
    resumeRun: async (run) => playing(run).resume(),
    pauseRun: async (run) => playing(run).pause(),
    cancelRun: async (run) => playing(run).cancel(),
    inbox: async () => inbox(),
    decide: async (run, decision, answer) => (runs.get(run) ?? planned(run)).decide(decision, answer),
    taskDetail: async (run, task) => playing(run).detail(task),
    watchWords: async (run, task, delta) => speak(() => runs.get(run)?.tasks.get(task)?.status === "RUNNING", delta),
    watchRun: async (run, _since, news) => (runs.get(run) ?? plannings.get(run) ?? playing(run)).watch(news),
    ...reviewing({ find, show: (draft) => show(find(draft.run)), add, playing, rows, runs }),
    models: async () => models.view(),
    findModels: () => models.find(),
    testModel: (name) => models.test(name),
    keepKey: (provider, key) => models.keep(provider, key),
    forgetKey: (provider) => models.forget(provider),
    chooseRole: (role, chosen) => models.choose(role, chosen),
    ...serving(pace),
    ...finding({
      rows,
      plan: (run) => find(run).document,
      outputs: (run) => runs.get(run)?.outputs ?? new Map(),
      tag: (run, tags) => {
        find(run).tags = tags;
      },
    }),
    ...noReplans,
    ...exporting((run) => print(find(run).document)),
    ...keeping({
      rows,
      rename: (run, name) => {
        find(run).name = name;
      },
      remove: (run) => {
        for (const all of [drafts, plannings, runs]) all.delete(run);
      },
      size: () => [...drafts.values()].reduce((sum, draft) => sum + print(draft.document).length, 0),
    }),
    ...placed(),
  };
}
