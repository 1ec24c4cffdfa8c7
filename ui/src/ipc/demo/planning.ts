// Plays a planner in the browser: it thinks, asks back where the goal has a `?`, fails where it begins with "fail", else
// gives a plan that it had to mend once. A recording with a clock; no model is asked.
import type {
  DecisionView,
  EventView,
  GoalAsked,
  PlannerCallView,
  PlanningRest,
  PlanningView,
  RunNews,
  RunRow,
} from "../bindings";
import { Fault } from "../host";
import { MARGIN_REPORT } from "./plan";
import { NOTHING_SPENT } from "./recorded";

const QUESTION = "Which month is the report for, and which shops count?";
const FORM = JSON.stringify({
  type: "object",
  required: ["month"],
  properties: {
    month: { title: "Month of the report", type: "string", description: "Such as 2026-11." },
    shops: { title: "Shops to compare", type: "array", items: { enum: ["Northwind", "Contoso", "Fabrikam"] } },
  },
});
const FAILURE =
  "api.anthropic.com refused the question: the credit of this key is used up (billing_error). The goal and all answers are kept. Add credit, or choose another planner, then try again.";
const FIRST_TRY = MARGIN_REPORT.replace('"dependencies": ["query_costs", "normalise"]', '"dependencies": ["costs"]');
const THINKS_MS = 2600;
const DOLLARS = 0.0147;

export class DemoPlanning {
  decisions: DecisionView[] = [];
  private state = "open";
  private error: string | null = null;
  private notes: string[] = [];
  private answered = false;
  private isGoing = false;
  private epoch = 0;
  private readonly calls: PlannerCallView[] = [];
  private readonly events: EventView[] = [];
  private readonly watchers = new Set<(news: RunNews) => void>();
  private waiting: ((rest: PlanningRest) => void)[] = [];

  constructor(
    private readonly run: string,
    private readonly goal: GoalAsked,
    private readonly model: string,
    private readonly row: () => RunRow,
    private readonly planned: (text: string) => void,
    private readonly pace: number,
  ) {
    this.say("goal_given", `A plan is wanted for: ${goal.text}`);
  }

  view(): PlanningView {
    const { state, isGoing, error, notes, calls } = this;
    const spent = this.spent();
    return {
      goal: this.goal.text,
      state,
      isGoing,
      error,
      notes: [...notes],
      calls: calls.map((c) => ({ ...c })),
      spent,
    };
  }

  spent() {
    const done = this.calls.filter((c) => c.outcome !== "open");
    const tokens = (of: "inputTokens" | "outputTokens") => done.reduce((sum, call) => sum + (call[of] ?? 0), 0);
    const usd = (done.filter((c) => c.outcome === "complete").length * DOLLARS).toFixed(4);
    const [inputTokens, outputTokens] = [tokens("inputTokens"), tokens("outputTokens")];
    const unknown = done.filter((c) => c.outcome === "error").length;
    return { ...NOTHING_SPENT, usd, inputTokens, outputTokens, estimated: done.length - unknown, unknown };
  }

  watch(news: (news: RunNews) => void): () => void {
    this.watchers.add(news);
    queueMicrotask(() => news(this.news(this.events)));
    return () => this.watchers.delete(news);
  }

  /** The answer of the newest question before one's eyes. */
  grow(delta: (text: string, goesOn: boolean) => void): () => void {
    let [call, shown] = [-1, 0];
    const timer = setInterval(
      () => {
        const at = this.calls.length - 1;
        if (!this.isGoing || at < 0) return;
        if (at !== call) {
          [call, shown] = [at, 0];
          delta("", false);
        }
        const more = MARGIN_REPORT.slice(shown, shown + 90);
        shown += more.length;
        if (more) delta(more, true);
      },
      Math.max(10, 70 * this.pace),
    );
    return () => clearInterval(timer);
  }

  planOn(): Promise<PlanningRest> {
    if (this.decisions.length > 0) return Promise.resolve("asks");
    if (this.state === "planned") return Promise.resolve("planned");
    const rest = new Promise<PlanningRest>((done) => this.waiting.push(done));
    if (this.isGoing) return rest;
    if (this.state === "failed" || this.calls.length > 0)
      this.say("planning_resumed", "Planning goes on, by the demo.");
    Object.assign(this, { state: "open", error: null, isGoing: true });
    this.think();
    return rest;
  }

  leave(): void {
    if (this.isGoing) this.rest("left");
  }

  /** A person takes the plan into their own hands. */
  takeOver(): void {
    if (this.isGoing)
      throw new Fault(
        "planning",
        "A planner is making this plan; wait for it, or stop it first. The edit was not made.",
      );
    if (this.state === "open") Object.assign(this, { state: "stopped", decisions: [] });
  }

  decide(id: string, answer: string): void {
    if (!this.decisions.some((d) => d.id === id))
      throw new Fault("answered", "This was answered already. Nothing was changed.");
    this.decisions = [];
    this.answered = true;
    this.say("decision_answered", `You answered: ${answer}`);
  }

  private think(): void {
    const epoch = ++this.epoch;
    const call = { model: this.model, outcome: "open", answer: "", error: null, inputTokens: null, outputTokens: null };
    this.calls.push(call);
    this.say("call_started", `${this.model} is asked for a plan.`);
    setTimeout(() => {
      if (epoch === this.epoch && this.isGoing) this.hear(call);
    }, THINKS_MS * this.pace);
  }

  private hear(call: PlannerCallView): void {
    const isFailing = /^\s*fail/i.test(this.goal.text);
    const asks = this.goal.text.includes("?") && !this.answered && this.goal.mayAsk;
    if (isFailing) {
      Object.assign(call, { outcome: "error", error: "402 billing_error: the credit of this key is used up" });
      this.say("call_finished", `${this.model} did not answer: the credit of this key is used up.`);
      Object.assign(this, { state: "failed", error: FAILURE });
      this.say("planning_ended", `No plan came of it. ${FAILURE}`);
      this.rest("failed");
    } else if (asks) this.ask(call);
    else if (this.calls.filter((c) => c.outcome === "complete").length === (this.answered ? 1 : 0)) {
      this.take(call, FIRST_TRY);
      this.say("call_finished", "The plan names a task that is not there (costs). It goes back to the planner.");
      this.think();
    } else this.finish(call);
  }

  private ask(call: PlannerCallView): void {
    this.take(call, JSON.stringify({ question: QUESTION, form: JSON.parse(FORM) }, null, 2));
    this.decisions = [
      {
        id: "d1",
        run: this.run,
        kind: "question",
        task: null,
        taskTitle: null,
        question: QUESTION,
        options: [],
        form: FORM,
        about: null,
        provenance: null,
        mayChange: false,
        holdsUp: 0,
        heldUp: [],
        openedAt: Date.now(),
      },
    ];
    this.say("decision_opened", `The planner asks: ${QUESTION}`);
    this.rest("asks");
  }

  private finish(call: PlannerCallView): void {
    this.take(call, MARGIN_REPORT);
    this.state = "planned";
    this.notes = ["Write report reads Work out margins, so it comes after it now."];
    this.planned(MARGIN_REPORT);
    this.say("planning_ended", `The plan is made. ${this.notes[0]}`);
    this.rest("planned");
  }

  private take(call: PlannerCallView, answer: string): void {
    const sizes = { inputTokens: 3120 + this.goal.text.length, outputTokens: Math.ceil(answer.length / 4) };
    Object.assign(call, { outcome: "complete", answer, ...sizes });
  }

  private rest(rest: PlanningRest): void {
    this.isGoing = false;
    this.epoch += 1;
    const waiting = this.waiting;
    this.waiting = [];
    for (const done of waiting) done(rest);
    this.tell([]);
  }

  private say(kind: string, text: string): void {
    const event = { seq: this.events.length + 1, at: Date.now(), kind, task: null, text };
    this.events.push(event);
    this.tell([event]);
  }

  private tell(events: readonly EventView[]): void {
    for (const watcher of this.watchers) watcher(this.news(events));
  }

  private news(events: readonly EventView[]): RunNews {
    const run = this.row();
    const { decisions } = this;
    return {
      run,
      seq: this.events.length,
      digest: `demo-${run.revision}`,
      events: [...events],
      tasks: [],
      decisions,
      output: null,
      folder: null,
    };
  }
}
