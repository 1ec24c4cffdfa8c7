// What the demo host shows before a signature, from a draft's view: what is touched, what flows where, what it may cost.
import type { ApprovalView, Choices, ChosenView, DraftView, DryRunView, EstimateView, Withheld } from "../bindings";
import { Fault } from "../host";
import { objectOf, parse, print, textOf } from "../json";
import { leftOutOf } from "./choices";
import { needsOf, parametersOf } from "./draft";
import { dryRunOf, estimateOf } from "./estimate";
import { tasksOf } from "./ways";

const RISK = ["spend", "write_external", "exec", "write", "read_external", "read", "pure"];

const isSound = (view: DraftView) => view.problems.every((p) => p.severity !== "error");

const heldIn = (view: DraftView) => new Set(view.tasks.filter((task) => task.pinned).map((task) => task.id));

export function estimateIn(view: DraftView): EstimateView | null {
  return isSound(view) ? estimateOf(parse(view.document), heldIn(view)) : null;
}

export function dryRunIn(view: DraftView, off: readonly Withheld[]): DryRunView {
  if (!isSound(view))
    throw new Fault("problems", "The plan has errors, so that nothing of it can run. Mend them first; it is kept.");
  const document = parse(view.document);
  const out = leftOutOf(document, off).leftOut.map((left) => left.task);
  return { ...dryRunOf(document, heldIn(view), new Set(out)), leftOut: out };
}

/** What follows from what is switched off, and what the rest may cost. */
export function weighIn(view: DraftView, choices: Choices): ChosenView {
  const document = parse(view.document);
  const left = leftOutOf(document, choices.off);
  const out = new Set(left.leftOut.map((l) => l.task));
  return { ...left, estimate: estimateOf(document, heldIn(view), out) };
}

export function approvalOf(view: DraftView, before: DraftView | null, hasModels: boolean): ApprovalView {
  const document = parse(view.document);
  const tasks = tasksOf(document);
  const needs = tasks.flatMap(needsOf).sort((a, b) => RISK.indexOf(a.effect) - RISK.indexOf(b.effect));
  const kinds = new Set(tasks.map((t) => textOf(t.task_type) || "agent"));
  const estimate = estimateIn(view);
  const held = heldIn(view);
  const untrusted = untrustedOf(tasks.map((t) => textOf(t.id)));
  return {
    run: view.run,
    title: view.title,
    revision: view.revision,
    digest: digestOf(view.revision),
    needs,
    problems: view.problems,
    parameters: parametersOf(document),
    tasks: tasks.length,
    asks: tasks.flatMap((t) => (t.task_type === "human" && !held.has(textOf(t.id)) ? [textOf(t.id)] : [])),
    longestPath: estimate?.critical ?? [],
    untrusted,
    flows: untrusted.map((f) => ({ ...f, concern: "untrusted", accepted: false })),
    endorsed: [],
    models: receiversOf(tasks, hasModels),
    replanner: hasModels
      ? { model: "anthropic/claude-opus-5", host: "api.anthropic.com", holdsPrivateBack: true }
      : null,
    marks: [],
    secrets: [],
    unsupported: hasModels ? [] : ["agent", "model"].filter((k) => kinds.has(k)),
    estimate,
    sinceLast: before ? sinceLast(view, before) : null,
    off: [],
    budget: budgetOf(view),
  };
}

/** The demo's executor: one model online, with one on this machine behind it. */
function receiversOf(tasks: readonly ReturnType<typeof objectOf>[], hasModels: boolean): ApprovalView["models"] {
  const asking = tasks.filter((task) => ["agent", "model"].includes(textOf(task.task_type) || "agent"));
  if (!hasModels || asking.length === 0) return [];
  const ids = asking.map((task) => textOf(task.id));
  return [
    { model: "openai/gpt-6.1-mini", host: "api.openai.com", tasks: ids, standsIn: [], writesAnswer: false },
    { model: "ollama/qwen3:4b", host: null, tasks: [], standsIn: ids, writesAnswer: false },
  ];
}

const digestOf = (revision: number) => `demo-${revision}`;

/** Signed is what was shown, and once. */
export function refuseSigning(isSigned: boolean, shown: string, revision: number): void {
  if (isSigned)
    throw new Fault("approved", "The plan has been approved or rejected already, or was imported; nothing changed.");
  if (shown !== digestOf(revision)) {
    throw new Fault(
      "digest",
      "The plan, or what is pinned on it or where it stops, is not what was shown. Look at it again before you approve. Nothing has run.",
    );
  }
}

function sinceLast(view: DraftView, before: DraftView): ApprovalView["sinceLast"] {
  const needs = (of: DraftView) => tasksOf(parse(of.document)).flatMap(needsOf);
  const known = new Set(needs(before).map((need) => `${need.access} ${need.resource}`));
  const ids = new Set(before.tasks.map((task) => task.id));
  return {
    run: before.run,
    revision: before.revision,
    needs: needs(view).filter((need) => !known.has(`${need.access} ${need.resource}`)),
    tasks: view.tasks.map((task) => task.id).filter((id) => !ids.has(id)),
  };
}

function budgetOf(view: DraftView): ApprovalView["budget"] {
  const budget = objectOf(objectOf(parse(view.document)).budget);
  const number = (name: string) => (budget[name] === undefined ? null : Number(print(budget[name] ?? null)));
  return {
    usd: budget.usd === undefined ? null : print(budget.usd ?? null).replaceAll('"', ""),
    tokens: number("tokens"),
    seconds: number("seconds"),
  };
}

function untrustedOf(ids: string[]): ApprovalView["untrusted"] {
  const path = ["get_rates", "normalise", "margins", "write_report", "save_report"];
  return path.every((id) => ids.includes(id)) ? [{ source: "get_rates", sink: "save_report", path }] : [];
}
