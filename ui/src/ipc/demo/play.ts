// Plays a run in the browser: states, a retry, a question, an output. A recording with a clock, not an engine.
import type {
  AttemptView,
  DecisionView,
  EventView,
  RunNews,
  RunRow,
  RunStatus,
  StatusCount,
  TaskDetail,
  TaskStatus,
  TaskView,
} from "../bindings";
import { Fault } from "../host";
import { type Json, type JsonObject, objectOf, print, textOf } from "../json";
import { asking } from "./asking";
import { Laid } from "./laid";
import { blank, callOf, NOTHING_SPENT, outputOf, reportOf, UNFILED } from "./recorded";
import { asksModels, thinking, turnsOf } from "./turns";
import { dependenciesOf, tasksOf } from "./ways";

const OVER: TaskStatus[] = ["COMPLETED", "FAILED", "SKIPPED", "CANCELLED"];

export class DemoRun {
  readonly tasks = new Map<string, TaskView>();
  readonly events: EventView[] = [];
  readonly outputs = new Map<string, string>();
  readonly attempts = new Map<string, AttemptView[]>();
  decisions: DecisionView[] = [];
  status: RunStatus = "RUNNING";
  output: string | null = null;
  private readonly document: JsonObject[];
  private readonly watchers = new Set<(news: RunNews) => void>();
  private readonly startedAt = Date.now();
  private pausedMs = 0;
  endedAt: number | null = null;

  constructor(
    readonly run: string,
    readonly title: string,
    readonly revision: number,
    document: Json,
    private readonly pace = 1,
    private readonly laid = new Laid(),
    leftOut: ReadonlySet<string> = new Set(),
  ) {
    this.document = tasksOf(document);
    for (const task of this.document) this.tasks.set(textOf(task.id), laid.onTask(blank(textOf(task.id))));
    for (const id of leftOut) this.set(id, { status: "SKIPPED", wait: null });
    this.say("approved", null, "Approved. The run starts.");
    this.advance();
  }

  row(): RunRow {
    const counts = new Map<TaskStatus, number>();
    for (const t of this.tasks.values()) counts.set(t.status, (counts.get(t.status) ?? 0) + 1);
    return {
      run: this.run,
      title: this.title,
      ...UNFILED,
      status: this.status,
      revision: this.revision,
      startedAt: this.startedAt,
      changedAt: this.events[this.events.length - 1]?.at ?? this.startedAt,
      ranMs: (this.endedAt ?? Date.now()) - this.startedAt - this.pausedMs,
      counts: [...counts].map<StatusCount>(([status, count]) => ({ status, count })),
      openDecisions: this.decisions.length,
      spent: NOTHING_SPENT,
      budget: { usd: null, tokens: null, seconds: null },
      owner: OVER.includes(this.endedAt === null ? "RUNNING" : "COMPLETED") ? null : "the demo",
      trouble: null,
    };
  }

  watch(news: (news: RunNews) => void): () => void {
    this.watchers.add(news);
    queueMicrotask(() => news(this.news([...this.tasks.values()], this.events)));
    return () => this.watchers.delete(news);
  }

  pause(): void {
    if (this.status !== "RUNNING" && this.status !== "WAITING")
      throw new Fault("not_running", "The run is not running. Nothing was changed.");
    this.status = "PAUSED";
    this.say("run_paused", null, "Paused. What runs now ends first.");
    this.tell([]);
  }

  resume(): void {
    this.status = "RUNNING";
    this.say("run_resumed", null, "Goes on.");
    this.advance();
    this.tell([]);
  }

  cancel(): void {
    this.status = "CANCELLED";
    this.decisions = [];
    this.endedAt = Date.now();
    for (const [id, task] of this.tasks)
      if (!OVER.includes(task.status)) this.set(id, { status: "CANCELLED", wait: null });
    this.say("run_finished", null, "Stopped by you.");
    this.tell([...this.tasks.values()]);
  }

  decide(decision: string, answer: string): void {
    const open = this.decisions.find((d) => d.id === decision);
    if (!open?.task) throw new Fault("answered", "This was answered already. Nothing was changed.");
    this.decisions = this.decisions.filter((d) => d !== open);
    this.say("decision_answered", open.task, "You answered.");
    this.finish(open.task, answer, "1 answer");
    this.advance();
  }

  detail(id: string): TaskDetail {
    const doc = this.document.find((t) => t.id === id);
    const task = this.tasks.get(id);
    if (!doc || !task) throw new Fault("not_found", `${id} is no task of this run.`);
    const started = task.status !== "PENDING";
    return {
      task,
      title: textOf(doc.title) || id,
      taskType: textOf(doc.task_type),
      detail: textOf(doc.tool),
      instruction: textOf(doc.instruction),
      inputs: started
        ? Object.entries(objectOf(doc.inputs)).map(([name, value]) => ({ name, ...this.resolve(value) }))
        : [],
      output: this.outputs.get(id) ?? null,
      acceptedAfterRejections: 0,
      flags: [],
      attempts: this.attempts.get(id) ?? [],
      events: this.events.filter((e) => e.task === id),
    };
  }

  private resolve(value: Json): { json: string; source: string } {
    const from = textOf(objectOf(value).$from);
    if (from)
      return { json: this.outputs.get(from) ?? "null", source: `from ${from} ${textOf(objectOf(value).path)}`.trim() };
    const param = textOf(objectOf(value).$param);
    return param ? { json: "0.18", source: `parameter ${param}` } : { json: print(value), source: "literal" };
  }

  private advance(): void {
    if (this.status !== "RUNNING") return;
    for (const doc of this.document) {
      const id = textOf(doc.id);
      const ready = dependenciesOf(doc).every((d) => this.tasks.get(d)?.status === "COMPLETED");
      if (this.tasks.get(id)?.status !== "PENDING" || !ready) continue;
      if (this.laid.stopsAt(id, "before")) {
        this.pause();
        return;
      }
      this.start(id, doc);
    }
    this.settle();
  }

  private start(id: string, doc: JsonObject): void {
    if (this.isHeld(id)) return;
    if (doc.task_type === "human") {
      this.ask(id, doc);
      return;
    }
    this.set(id, {
      status: "RUNNING",
      attempts: (this.tasks.get(id)?.attempts ?? 0) + 1,
      startedAt: Date.now(),
      wait: null,
    });
    if (asksModels(doc)) this.attempts.set(id, [...(this.attempts.get(id) ?? []), thinking(`demo-${this.run}-${id}`)]);
    this.say("task_started", id, "started.");
    const stumbles = id === "read_contoso" && this.tasks.get(id)?.attempts === 1;
    const ms = (700 + ((id.length * 397) % 1900)) * this.pace;
    setTimeout(() => (stumbles ? this.stumble(id, doc) : this.end(id, doc)), ms);
    this.tellOf(id);
  }

  /** What a person holds is its output at once. */
  private isHeld(id: string): boolean {
    const held = this.laid.pins.get(id);
    if (held === undefined) return false;
    this.finish(id, held, "held");
    queueMicrotask(() => this.advance());
    return true;
  }

  private stumble(id: string, doc: JsonObject): void {
    if (this.status === "CANCELLED") return;
    const wait = 4000 * this.pace;
    const error = { code: "transient", message: "The file was locked by another program." };
    this.log(id, doc, null, error);
    this.set(id, {
      status: "RETRYING",
      error,
      wait: { reason: "backoff", text: "Trying again", until: Date.now() + wait },
    });
    this.say("task_retrying", id, "failed: the file was locked. Trying again in 4 s, attempt 2 of 4.");
    this.tellOf(id);
    setTimeout(() => this.status !== "CANCELLED" && this.start(id, doc), wait);
  }

  private end(id: string, doc: JsonObject): void {
    if (this.status === "CANCELLED") return;
    const made = outputOf(textOf(doc.tool) || textOf(doc.task_type), this.laid.isAgain);
    this.log(id, doc, made.json, null);
    this.finish(id, made.json, made.summary);
    this.advance();
  }

  private log(
    id: string,
    doc: JsonObject,
    result: string | null,
    error: { code: string; message: string } | null,
  ): void {
    const task = this.tasks.get(id);
    const startedAt = task?.startedAt ?? Date.now();
    const [tool, key] = [textOf(doc.tool), `demo-${this.run}-${id}`];
    const came = { result, error, startedAt };
    const own = tool ? [callOf(key, tool, print(objectOf(doc.inputs)), came)] : [];
    const calls = asksModels(doc) ? turnsOf(key, doc, result, error, startedAt) : own;
    const attempt = { number: task?.attempts ?? 1, goesOn: false, startedAt, endedAt: Date.now(), calls, error };
    this.attempts.set(id, [...(this.attempts.get(id) ?? []).filter((a) => a.endedAt !== null), attempt]);
  }

  private finish(id: string, json: string, summary: string): void {
    this.outputs.set(id, json);
    this.set(id, { status: "COMPLETED", endedAt: Date.now(), wait: null, error: null, summary });
    this.say("task_completed", id, `done: ${summary}.`);
    this.tellOf(id);
    if (this.status === "RUNNING" && this.laid.stopsAt(id, "after")) this.pause();
  }

  private ask(id: string, doc: JsonObject): void {
    this.set(id, {
      status: "WAITING",
      attempts: 1,
      startedAt: Date.now(),
      wait: { reason: "question", text: "Waits for your answer", until: null },
    });
    this.decisions = [
      ...this.decisions,
      asking(`d${this.events.length}`, this.run, id, doc, this.outputs.get("margins") ?? null),
    ];
    this.say("decision_opened", id, "asks you.");
    this.tellOf(id);
  }

  private settle(): void {
    const all = [...this.tasks.values()];
    if (all.every((t) => OVER.includes(t.status))) {
      this.status = "SUCCEEDED";
      this.endedAt = Date.now();
      this.output = JSON.stringify(reportOf(this.laid.isAgain));
      this.say("run_finished", null, "Finished.");
    }
    this.tell([]);
  }

  private set(id: string, change: Partial<TaskView>): void {
    this.tasks.set(id, { ...(this.tasks.get(id) ?? blank(id)), ...change });
  }

  private say(kind: string, task: string | null, text: string): void {
    this.events.push({ seq: this.events.length + 1, at: Date.now(), kind, task, text });
  }

  private news(tasks: TaskView[], events: readonly EventView[]): RunNews {
    const waits =
      this.decisions.length > 0 &&
      [...this.tasks.values()].every((t) => t.status !== "RUNNING" && t.status !== "RETRYING");
    if (this.status === "RUNNING" && waits) this.status = "WAITING";
    if (this.status === "WAITING" && this.decisions.length === 0) this.status = "RUNNING";
    return {
      run: this.row(),
      seq: this.events.length,
      digest: `demo-${this.revision}`,
      events: [...events],
      tasks,
      decisions: this.decisions,
      output: this.output,
      folder: null,
    };
  }

  private tellOf(id: string): void {
    const task = this.tasks.get(id);
    this.tell(task ? [task] : []);
  }

  private told = 0;
  private tell(tasks: TaskView[]): void {
    const news = this.news(tasks, this.events.slice(this.told));
    this.told = this.events.length;
    for (const watcher of this.watchers) watcher(news);
  }
}
