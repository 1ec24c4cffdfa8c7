// Plays a planner that is asked for a change of a plan: it writes its answer before one's eyes, then proposes a task between
// two, a better one, and one less. A wish that begins with "fail" fails, one that begins with "nothing" changes nothing.
import type { FieldChangeView, PieceView, PlannerCallView, PlanningRest, ProposalView } from "../bindings";
import { Fault } from "../host";
import { type Json, type JsonObject, objectOf, parse, print, put, textOf, tryParse } from "../json";
import { NOTHING_SPENT } from "./recorded";
import { dependenciesOf, tasksOf } from "./ways";

const STEPS = 24;
const THINKS_MS = 3000;
const FAILURE =
  "api.anthropic.com refused the question: the credit of this key is used up (billing_error). The plan is as it was. Add credit, or choose another planner, then ask again.";

type Draft = { document: () => Json; revision: () => number; change: (document: Json) => void };
type Delta = (text: string, goesOn: boolean) => void;

export class DemoProposal {
  private wanted = "";
  private base = 0;
  private state: ProposalView["state"] = "stopped";
  private before: Json = null;
  private after: Json | null = null;
  private dropped = new Set<string>();
  private call: PlannerCallView | null = null;
  private resting: ((rest: PlanningRest) => void)[] = [];
  private told = "";
  private readonly watchers = new Set<Delta>();

  constructor(
    private readonly draft: Draft,
    private readonly model: () => string | null,
    private readonly pace: number,
  ) {}

  ask(wanted: string): void {
    const model = this.model();
    if (!model) throw new Fault("no_model", "No model is set up; nothing was asked.");
    if (wanted.trim() === "") throw new Fault("no_change", "Say what shall change; nothing was asked.");
    const [base, before] = [this.draft.revision(), this.draft.document()];
    const call = { model, outcome: "open", answer: "", error: null, inputTokens: null, outputTokens: null };
    Object.assign(this, { wanted: wanted.trim(), base, before, after: null, state: "open", call, dropped: new Set() });
  }

  on(): Promise<PlanningRest> {
    const rest = new Promise<PlanningRest>((done) => this.resting.push(done));
    if (this.resting.length === 1) this.write(print(changed(this.before, this.wanted), 1), 0);
    return rest;
  }

  stop(): void {
    if (this.state === "open") this.rest("stopped", "stopped");
  }

  watch(delta: Delta): () => void {
    this.watchers.add(delta);
    delta(this.told, false);
    return () => this.watchers.delete(delta);
  }

  view(): ProposalView | null {
    if (this.state === "stopped" || this.dropped.has("*")) return null;
    const pieces = this.pieces();
    if (pieces.length > 0 && pieces.every((piece) => piece.standing === "taken" || piece.standing === "dropped"))
      return null;
    const isOver = this.state !== "open";
    return {
      wanted: this.wanted,
      base: this.base,
      state: this.state,
      isGoing: !isOver,
      error: this.state === "failed" ? FAILURE : null,
      notes: isOver && this.state !== "failed" ? ["Prices without a currency are taken to be in euros."] : [],
      calls: this.call ? [{ ...this.call }] : [],
      spent: spentOf(this.state === "proposed"),
      pieces,
      problems: [],
    };
  }

  take(ids: string[]): void {
    const all = new Map(this.pieces().map((piece) => [piece.id, piece]));
    const chosen = new Set(ids);
    for (const id of chosen) for (const need of all.get(id)?.needs ?? []) chosen.add(need);
    const moved = [...chosen].map((id) => all.get(id)).find((piece) => piece?.standing === "moved");
    if (moved) throw new Fault("moved_on", `${moved.why} Nothing was changed. Take the other pieces, or ask anew.`);
    const open = [...chosen].map((id) => all.get(id)).filter((piece) => piece?.standing === "open");
    if (open.length > 0)
      this.draft.change(open.reduce<Json>((doc, piece) => (piece ? taken(doc, piece) : doc), this.draft.document()));
  }

  drop(ids: string[]): void {
    const pieces = this.pieces();
    if (ids.length === 0) this.dropped.add("*");
    const gone = new Set(ids);
    for (const id of gone) for (const piece of pieces) if (piece.needs.includes(id)) gone.add(piece.id);
    for (const id of gone) this.dropped.add(id);
  }

  private write(answer: string, step: number): void {
    if (this.state !== "open") return;
    const size = Math.ceil(answer.length / STEPS);
    const more = answer.slice(step * size, (step + 1) * size);
    this.told = step === 0 ? more : this.told + more;
    for (const watcher of this.watchers) watcher(more, step > 0);
    if (step < STEPS) {
      setTimeout(() => this.write(answer, step + 1), (THINKS_MS / STEPS) * this.pace);
      return;
    }
    const isFailing = /^\s*fail/i.test(this.wanted);
    Object.assign(this.call ?? {}, {
      outcome: isFailing ? "error" : "complete",
      answer,
      inputTokens: 4210,
      outputTokens: size,
    });
    if (!isFailing) this.after = changed(this.before, this.wanted);
    this.rest(isFailing ? "failed" : "planned", isFailing ? "failed" : "proposed");
  }

  private rest(rest: PlanningRest, state: ProposalView["state"]): void {
    this.state = state;
    const resting = this.resting;
    this.resting = [];
    for (const done of resting) done(rest);
  }

  private pieces(): PieceView[] {
    if (this.after === null) return [];
    const now = byId(this.draft.document());
    return cut(this.before, this.after).map((piece) =>
      this.dropped.has(piece.id) ? { ...piece, standing: "dropped" } : { ...piece, ...standing(piece, now) },
    );
  }
}

function spentOf(isKnown: boolean) {
  return isKnown
    ? { ...NOTHING_SPENT, usd: "0.0183", inputTokens: 4210, outputTokens: 380, estimated: 1 }
    : NOTHING_SPENT;
}

function byId(document: Json): Map<string, JsonObject> {
  return new Map(tasksOf(document).map((task) => [textOf(task.id), task]));
}

/** A check behind the first task that others read, a better instruction for the next, and the last leaf taken out. */
function changed(document: Json, wanted: string): Json {
  if (/^\s*nothing/i.test(wanted)) return document;
  const tasks = tasksOf(document);
  const read = tasks.find((task) => tasks.some((other) => dependenciesOf(other).includes(textOf(task.id))));
  const source = textOf(read?.id);
  const reader = tasks.find((task) => dependenciesOf(task).includes(source));
  const leaf = tasks.findLast(
    (task) => task !== reader && !tasks.some((o) => dependenciesOf(o).includes(textOf(task.id))),
  );
  const check: JsonObject = {
    id: "check_prices",
    title: "Check the prices",
    task_type: "code",
    instruction: "Leave out rows without a price.",
    source: "return rows.filter((row) => row.price > 0);",
    dependencies: source ? [source] : [],
    ...(source ? { inputs: { rows: { $from: source } } } : {}),
  };
  const next = tasks.flatMap((task): JsonObject[] => {
    if (task === leaf && tasks.length > 3) return [];
    if (task !== reader) return [task];
    const dependencies = [...dependenciesOf(task).filter((id) => id !== source), "check_prices"];
    return [{ ...task, instruction: `${textOf(task.instruction)} ${wanted}`.trim(), dependencies }];
  });
  return put(document, "/tasks", [...next, check]);
}

function cut(before: Json, after: Json): PieceView[] {
  const [was, is] = [byId(before), byId(after)];
  const pieces: PieceView[] = [];
  for (const [id, task] of was) {
    const next = is.get(id);
    if (next === undefined)
      pieces.push(piece("removed", id, task, [field("", task, undefined)], [], dependenciesOf(task)));
    else if (print(next) !== print(task)) pieces.push(changedPiece(id, task, next));
  }
  for (const [id, task] of is)
    if (!was.has(id)) pieces.push(piece("added", id, task, [field("", undefined, task)], dependenciesOf(task), []));
  const added = new Set(pieces.filter((one) => one.kind === "added").map((one) => one.name));
  return pieces.map((one) => ({ ...one, needs: one.gained.filter((id) => added.has(id)).map((id) => `add:${id}`) }));
}

function changedPiece(id: string, task: JsonObject, next: JsonObject): PieceView {
  const names = [...new Set([...Object.keys(next), ...Object.keys(task)])].filter((name) => name !== "dependencies");
  const other = names.filter((name) => print(task[name] ?? null) !== print(next[name] ?? null));
  const [had, has] = [dependenciesOf(task), dependenciesOf(next)];
  const fields = other.map((name) => field(name, task[name], next[name]));
  return piece(
    "changed",
    id,
    next,
    fields,
    has.filter((x) => !had.includes(x)),
    had.filter((x) => !has.includes(x)),
  );
}

const VERB = { added: "add", removed: "remove", changed: "change", plan: "plan" } as const;

function piece(
  kind: PieceView["kind"],
  name: string,
  task: JsonObject,
  fields: FieldChangeView[],
  gained: string[],
  lost: string[],
): PieceView {
  const title = textOf(task.title) || name;
  return {
    id: `${VERB[kind]}:${name}`,
    kind,
    name,
    title,
    fields,
    gained,
    lost,
    needs: [],
    standing: "open",
    why: null,
  };
}

function field(name: string, before: Json | undefined, after: Json | undefined): FieldChangeView {
  const text = (value: Json | undefined) => (value === undefined ? null : print(value));
  return { field: name, before: text(before), after: text(after) };
}

function standing(piece: PieceView, now: ReadonlyMap<string, JsonObject>): Pick<PieceView, "standing" | "why"> {
  const task = now.get(piece.name);
  const open = { standing: "open", why: null } as const;
  const done = { standing: "taken", why: null } as const;
  const moved = (why: string) => ({ standing: "moved", why }) as const;
  if (piece.kind === "added") return task ? done : open;
  if (piece.kind === "removed") return task ? open : done;
  if (!task) return moved(`${piece.title} is not in the draft any more.`);
  const value = (name: string) => (task[name] === undefined ? null : print(task[name] ?? null));
  const edges = dependenciesOf(task);
  const isLinked = piece.gained.every((id) => edges.includes(id)) && !piece.lost.some((id) => edges.includes(id));
  if (isLinked && piece.fields.every((one) => value(one.field) === one.after)) return done;
  const other = piece.fields.find((one) => value(one.field) !== one.before && value(one.field) !== one.after);
  return other ? moved(`\`${other.field}\` of ${piece.title} has been changed meanwhile.`) : open;
}

function taken(document: Json, piece: PieceView): Json {
  const tasks = tasksOf(document);
  if (piece.kind === "added") return put(document, "/tasks", [...tasks, objectOf(tryParse(piece.fields[0]?.after))]);
  const gone = piece.kind === "removed" ? [piece.name] : [];
  const next = tasks.flatMap((task): JsonObject[] => {
    if (gone.includes(textOf(task.id))) return [];
    const own = task.id === piece.name;
    const edges = dependenciesOf(task).filter((id) => !gone.includes(id) && !(own && piece.lost.includes(id)));
    const changed = own
      ? piece.fields.reduce(
          (one, f) => objectOf(put(one, `/${f.field}`, f.after === null ? undefined : parse(f.after))),
          task,
        )
      : task;
    const dependencies = own ? [...edges, ...piece.gained.filter((id) => !edges.includes(id))] : edges;
    return [task.dependencies === undefined && dependencies.length === 0 ? changed : { ...changed, dependencies }];
  });
  return put(document, "/tasks", next);
}
