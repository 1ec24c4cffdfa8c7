// The demo host: the whole window in a plain browser, on sample data in memory. It says so in the status bar.
import type { ApprovalView, DecisionView, DraftView, NeedView, PlanEdit, RunRow, SampleCard } from "./bindings";
import { changing } from "./demo/changing";
import { dependenciesOf, needsOf, parametersOf, refusal, tasksOf, viewOf } from "./demo/draft";
import { applyEdit } from "./demo/edits";
import { type DemoModels, demoModels } from "./demo/models";
import { EMPTY_PLAN, FOUR_TASKS, MARGIN_REPORT } from "./demo/plan";
import { DemoPlanning } from "./demo/planning";
import { DemoRun } from "./demo/play";
import { NOTHING_SPENT } from "./demo/recorded";
import { serving } from "./demo/servers";
import { TOOLS } from "./demo/tools";
import { Fault, type Host } from "./host";
import { type Json, parse, print, put, textOf } from "./json";

type Draft = {
  run: string;
  title: string;
  path: string | null;
  revision: number;
  document: Json;
  past: Json[];
  future: Json[];
  changedAt: number;
};

const SAMPLES: Record<string, { title: string; description: string; text: string }> = {
  "samples/margin-report": {
    title: "Margin report",
    description: "Prices of two shops, a cost database, one question to you",
    text: MARGIN_REPORT,
  },
  "samples/four-tasks": { title: "Fetch, analyse, format", description: "Two sources, one summary", text: FOUR_TASKS },
};
const MOST_UNDO = 200;
const LONGEST_TITLE = 60;

/** The first line of a goal, as far as it fits into a list. */
function titleOf(goal: string): string {
  const line = goal.trim().split("\n")[0] ?? "";
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line;
}

/** `pace` under 1 plays runs faster; tests use it. */
export function demoHost({ pace = 1, models: kind = "some" }: { pace?: number; models?: DemoModels } = {}): Host {
  const drafts = new Map<string, Draft>();
  const plannings = new Map<string, DemoPlanning>();
  const models = demoModels(kind, pace);
  const runs = new Map<string, DemoRun>();
  const settings: Record<string, unknown> = {};
  let made = 0;

  const add = (title: string, path: string | null, text: string): Draft => {
    const run = `demo-${++made}`;
    const draft = { run, title, path, revision: 1, document: parse(text), past: [], future: [], changedAt: Date.now() };
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
  const change = (draft: Draft, document: Json) => {
    draft.past = [...draft.past, draft.document].slice(-MOST_UNDO);
    draft.future = [];
    draft.document = document;
    draft.revision += 1;
    draft.changedAt = Date.now();
  };
  const show = (draft: Draft): DraftView =>
    viewOf(draft.run, draft.title, draft.revision, draft.path, draft.document, {
      isDraft: !runs.has(draft.run),
      canUndo: draft.past.length > 0,
      canRedo: draft.future.length > 0,
      undoLabel: draft.past.length > 0 ? "the last edit" : null,
      redoLabel: draft.future.length > 0 ? "the edit" : null,
    });
  const rowOf = (draft: Draft): RunRow =>
    runs.get(draft.run)?.row() ?? {
      run: draft.run,
      title: draft.title,
      goal: plannings.get(draft.run)?.view().goal ?? null,
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
    };
  const rows = () => [...drafts.values()].map(rowOf).reverse();
  const inbox = (): DecisionView[] => [...plannings.values(), ...runs.values()].flatMap((r) => r.decisions);
  const move = (run: string, from: "past" | "future", to: "past" | "future"): DraftView => {
    const draft = find(run);
    const document = draft[from].pop();
    if (document === undefined) return show(draft);
    draft[to].push(draft.document);
    draft.document = document;
    draft.revision += 1;
    return show(draft);
  };

  return {
    name: "demo",
    home: async () => ({ samples: sampleCards(), runs: rows().slice(0, 12), openDecisions: inbox().length }),
    listRuns: async () => rows(),
    listTools: async () => TOOLS,
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
      return show(draft);
    },
    editDraft: async (run, revision, edits: PlanEdit[]) => {
      const draft = find(run);
      if (revision !== draft.revision)
        throw new Fault("conflict", `The plan is at revision ${draft.revision}, not ${revision}. Nothing was changed.`);
      const next = edits.reduce(applyEdit, draft.document);
      plannings.get(run)?.takeOver();
      change(draft, next);
      return show(draft);
    },
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
    approval: async (run) => approvalOf(find(run), show(find(run))),
    approve: async (run) => {
      const draft = find(run);
      runs.set(run, new DemoRun(run, draft.title, draft.revision, draft.document, pace));
    },
    resumeRun: async (run) => playing(run).resume(),
    pauseRun: async (run) => playing(run).pause(),
    cancelRun: async (run) => playing(run).cancel(),
    inbox: async () => inbox(),
    decide: async (run, decision, answer) => (runs.get(run) ?? planned(run)).decide(decision, answer),
    taskDetail: async (run, task) => playing(run).detail(task),
    watchRun: async (run, _since, news) => (runs.get(run) ?? plannings.get(run) ?? playing(run)).watch(news),
    models: async () => models.view(),
    findModels: () => models.find(),
    testModel: (name) => models.test(name),
    keepKey: (provider, key) => models.keep(provider, key),
    forgetKey: (provider) => models.forget(provider),
    chooseRole: (role, chosen) => models.choose(role, chosen),
    ...serving(pace),
    loadSettings: async () => ({ ...readStored(), ...settings }),
    saveSetting: async (name, value) => {
      settings[name] = value;
      window.sessionStorage?.setItem("planloom", JSON.stringify({ ...readStored(), ...settings }));
    },
    reportFirstPaint: async () => undefined,
    environment: async () => ({
      version: "0.1.0",
      platform: "browser",
      dbPath: "in memory",
      safeRenderer: false,
      offerSafeRenderer: false,
      notices: [],
      openFirst: null,
    }),
    useSafeRenderer: async () => {
      throw new Fault("demo", "A browser has no renderer to choose. Nothing was changed.");
    },
    onPlanNamed: async () => () => undefined,
    onRunNamed: async () => () => undefined,
    window: { minimize: () => undefined, toggleMaximize: () => undefined, close: () => undefined },
  };
}

function readStored(): Record<string, unknown> {
  try {
    return JSON.parse(window.sessionStorage?.getItem("planloom") ?? "{}") as Record<string, unknown>;
  } catch {
    return {};
  }
}

function sampleCards(): SampleCard[] {
  return Object.entries(SAMPLES).map(([path, { title, description, text }]) => ({
    path,
    title,
    description,
    outline: {
      tasks: tasksOf(parse(text)).map((t) => ({
        id: textOf(t.id),
        taskType: textOf(t.task_type),
        dependencies: dependenciesOf(t),
      })),
    },
  }));
}

const RISK = ["spend", "write_external", "exec", "write", "read_external", "read", "pure"];

function approvalOf(draft: Draft, view: DraftView): ApprovalView {
  const needs = tasksOf(draft.document)
    .flatMap(needsOf)
    .sort((a: NeedView, b: NeedView) => RISK.indexOf(a.effect) - RISK.indexOf(b.effect));
  const tasks = tasksOf(draft.document);
  const kinds = new Set(tasks.map((t) => textOf(t.task_type) || "agent"));
  return {
    run: draft.run,
    title: draft.title,
    revision: draft.revision,
    digest: `demo-${draft.revision}`,
    needs,
    problems: view.problems,
    parameters: parametersOf(draft.document),
    tasks: tasks.length,
    asks: tasks.filter((t) => t.task_type === "human").map((t) => textOf(t.id)),
    longestPath: ["get_rates", "normalise", "margins", "check_outliers", "write_report", "save_report"].filter((id) =>
      tasks.some((t) => t.id === id),
    ),
    untrusted: untrustedOf(tasks.map((t) => textOf(t.id))),
    flows: untrustedOf(tasks.map((t) => textOf(t.id))).map((f) => ({ ...f, concern: "untrusted", accepted: false })),
    endorsed: [],
    marks: [],
    secrets: [],
    unsupported: ["agent", "model"].filter((k) => kinds.has(k)),
  };
}

function untrustedOf(ids: string[]): ApprovalView["untrusted"] {
  const path = ["get_rates", "normalise", "margins", "write_report", "save_report"];
  return path.every((id) => ids.includes(id)) ? [{ source: "get_rates", sink: "save_report", path }] : [];
}
