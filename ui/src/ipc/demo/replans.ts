// A run of the demo that has failed and whose replanner proposes another way, for whoever opens the page with `replan`. Beside
// it the demo host is as it was. It has no replanner: the one proposal is recorded.
import type { DecisionView, ReplanFate, ReplanPiece, ReplanPreview, ReplanRow, ReplanView, RunNews } from "../bindings";
import { Fault, type Host } from "../host";
import { isObject, type Json, objectOf, parse, print, textOf, tryParse } from "../json";
import { diffOf } from "./diff";
import { viewOf } from "./draft";
import { estimateOf } from "./estimate";
import { AFTER, BEFORE, ERRORS } from "./failed";
import { NOTHING_SPENT, UNFILED } from "./recorded";
import { dependenciesOf, tasksOf } from "./ways";

const RUN = "demo-replan";
const MOST = 3;
const DONE = new Set(["costs", "rates"]);
const ASKED = "Asks for the host “feeds.northwind.example”, for GET only, in this run.";

/** Of a host without such a run. */
export const noReplans: Pick<Host, "replans" | "replan" | "previewReplan" | "checkAnswer"> = {
  replans: async (run) => ({ run, most: MOST, attempts: [] }),
  replan: async (run) => {
    throw new Fault("not_found", `Run ${run} has had no replan.`);
  },
  previewReplan: async (run) => {
    throw new Fault("not_found", `Run ${run} proposes no new plan.`);
  },
  checkAnswer: async () => [],
};

export function withReplan(host: Host): Host {
  const run = new FailedRun();
  const own =
    <A extends unknown[], R>(mine: (...rest: A) => R, theirs: (id: string, ...rest: A) => Promise<R>) =>
    async (id: string, ...rest: A): Promise<R> =>
      id === RUN ? mine(...rest) : theirs(id, ...rest);
  return {
    ...host,
    listRuns: async () => [run.row(), ...(await host.listRuns())],
    inbox: async () => [...run.decisions, ...(await host.inbox())],
    draft: own(() => run.shown(run.document), host.draft),
    watchRun: async (id, since, news, fault) => (id === RUN ? run.watch(news) : host.watchRun(id, since, news, fault)),
    decide: own((decision: string, answer: string) => run.decide(decision, answer), host.decide),
    resumeRun: own(() => undefined, host.resumeRun),
    cancelRun: own(() => run.decide("d1", '"stop"'), host.cancelRun),
    replans: own(() => ({ run: RUN, most: MOST, attempts: run.rows() }), host.replans),
    replan: own((attempt: number) => run.view(attempt), host.replan),
    previewReplan: own((_decision: string, answer: string) => run.preview(answer), host.previewReplan),
  };
}

class FailedRun {
  document: Json = BEFORE;
  decisions: DecisionView[] = [asked("d1")];
  private readonly at = Date.now() - 6 * 60_000;
  private readonly fates: { fate: ReplanFate; note: string; leftOut: string[] }[] = [
    { fate: "waiting", note: "", leftOut: [] },
  ];
  private readonly watchers = new Set<(news: RunNews) => void>();

  row(): RunNews["run"] {
    const isOpen = this.decisions.length > 0;
    return {
      run: RUN,
      title: "Margin report",
      ...UNFILED,
      status: isOpen ? "WAITING" : this.document === BEFORE ? "FAILED" : "RUNNING",
      revision: this.document === BEFORE ? 8 : 9,
      startedAt: this.at,
      changedAt: this.at + 64_000,
      ranMs: 64_000,
      counts: [
        { status: "COMPLETED", count: 2 },
        { status: "FAILED", count: 1 },
        { status: "PENDING", count: 7 },
      ],
      openDecisions: this.decisions.length,
      spent: { ...NOTHING_SPENT, usd: "0.012" },
      budget: { usd: "0.50", tokens: null, seconds: null },
      owner: "the demo",
      trouble: null,
    };
  }

  shown(document: Json) {
    return viewOf(RUN, "Margin report", this.row().revision, null, document, { isDraft: false });
  }

  watch(news: (news: RunNews) => void): () => void {
    this.watchers.add(news);
    queueMicrotask(() => news(this.news()));
    return () => this.watchers.delete(news);
  }

  private news(): RunNews {
    const tasks = this.view(this.fates.length).states.map(({ task, status }) => ({
      id: task,
      status,
      attempts: status === "FAILED" ? 4 : status === "COMPLETED" ? 1 : 0,
      maxAttempts: 4,
      wait: null,
      startedAt: null,
      endedAt: null,
      error: status === "FAILED" ? { code: "http_403", message: "northwind.example refused the request." } : null,
      summary: status === "COMPLETED" ? "48 rows" : null,
      pinned: false,
      breakpoint: null,
    }));
    const digest = `${RUN}-${this.row().revision}-${this.fates.length}`;
    const rest = { events: [], output: null, folder: null };
    return { run: this.row(), seq: this.fates.length, digest, tasks, decisions: this.decisions, ...rest };
  }

  rows(): ReplanRow[] {
    return this.fates.map(({ fate, note, leftOut }, ix) => ({
      attempt: ix + 1,
      at: this.at + 64_000,
      failed: ["fetch"],
      fate,
      by: fate === "waiting" ? null : "you",
      decision: `d${ix + 1}`,
      askedWith: note,
      refused: [],
      leftOut,
      hasProposal: true,
    }));
  }

  view(attempt: number): ReplanView {
    const row = this.rows()[attempt - 1];
    if (!row) throw new Fault("not_found", `Run ${RUN} has no replan ${attempt}.`);
    const first = this.at + 32_000;
    return {
      row,
      most: MOST,
      errors: ERRORS.map(([message, wait], ix) => ({
        task: "fetch",
        title: "Fetch competitor prices",
        at: first + ix * 6000,
        attempt: ix + 1,
        code: "permanent",
        message,
        nextAt: wait === null ? null : first + ix * 6000 + wait * 1000,
      })),
      model: "anthropic/claude-sonnet",
      spent: { ...NOTHING_SPENT, usd: "0.009", estimated: 1 },
      lines: [{ kind: "asked", task: "feed", text: ASKED, touches: [] }],
      pieces: PIECES,
      before: this.shown(BEFORE),
      after: this.shown(AFTER),
      diff: diffOf(BEFORE, AFTER),
      states: tasksOf(BEFORE).map(({ id }) => ({
        task: textOf(id),
        status: textOf(id) === "fetch" ? "FAILED" : DONE.has(textOf(id)) ? "COMPLETED" : "PENDING",
      })),
      stillBefore: estimateOf(BEFORE, DONE),
      stillAfter: estimateOf(AFTER, DONE),
    };
  }

  preview(answer: string): ReplanPreview {
    const given = objectOf(parse(answer));
    const taken = Array.isArray(given.accept) ? new Set(given.accept.map(textOf)) : null;
    const document = taken ? part(taken) : isObject(given.edit) ? given.edit : AFTER;
    const isMended = !tasksOf(document).some((one) => textOf(one.id) === "fetch");
    const asks = print(document).includes("feeds.northwind.example");
    return {
      refused: isMended ? [] : ["`fetch` has failed and stays as it is, so that the run could not go on."],
      digest: "demo",
      lines: asks ? [{ kind: "asked", task: "feed", text: ASKED, touches: [] }] : [],
      text: "",
      beyond: [],
      leftOut: taken ? PIECES.map((piece) => piece.id).filter((id) => !taken.has(id)) : [],
      after: isMended ? this.shown(document) : null,
      diff: isMended ? diffOf(BEFORE, document) : null,
      still: isMended ? estimateOf(document, DONE) : null,
    };
  }

  decide(decision: string, answer: string): void {
    if (!this.decisions.some((one) => one.id === decision))
      throw new Fault("answered", `Decision ${decision} was answered already. Nothing was recorded.`);
    const given = parse(answer);
    const last = this.fates[this.fates.length - 1];
    if (!last) return;
    this.decisions = [];
    const again = given === "again" ? "" : isObject(given) ? textOf(given.again) : null;
    if (again !== null && (given === "again" || (isObject(given) && "again" in given))) {
      last.fate = "asked_again";
      this.fates.push({ fate: "waiting", note: again, leftOut: [] });
      this.decisions = [asked(`d${this.fates.length}`)];
    } else if (given === "accept" || (isObject(given) && ("accept" in given || "edit" in given))) {
      const preview = this.preview(given === "accept" ? "{}" : answer);
      last.fate = given === "accept" ? "accepted" : "edit" in objectOf(given) ? "accepted_edited" : "accepted_in_part";
      last.leftOut = preview.leftOut;
      this.document = tryParse(preview.after?.document) ?? BEFORE;
    } else last.fate = given === "stop" ? "left" : "rejected";
    for (const watcher of this.watchers) watcher(this.news());
  }
}

/** The plan with these pieces; what needs others has them, as the window sees to that. */
function part(taken: ReadonlySet<string>): Json {
  const [old, now] = [tasksOf(BEFORE), tasksOf(AFTER)];
  const of = (list: typeof now, id: string) => list.find((one) => textOf(one.id) === id);
  const kept = old.flatMap((one) => {
    const id = textOf(one.id);
    if (taken.has(`remove:${id}`)) return [];
    return [taken.has(`change:${id}`) ? (of(now, id) ?? one) : one];
  });
  const added = now.filter((one) => taken.has(`add:${textOf(one.id)}`));
  const grants = objectOf(taken.has("plan:grants") ? AFTER : BEFORE).grants ?? null;
  return { ...objectOf(BEFORE), tasks: [...kept, ...added], grants };
}

const PIECES: ReplanPiece[] = piecesOf();

function piecesOf(): ReplanPiece[] {
  const [old, now] = [tasksOf(BEFORE), tasksOf(AFTER)];
  const named = new Map([...old, ...now].map((one) => [textOf(one.id), one]));
  const piece = (verb: string, kind: ReplanPiece["kind"], name: string, more: Partial<ReplanPiece>): ReplanPiece => {
    const title = textOf(named.get(name)?.title) || name;
    return { id: `${verb}:${name}`, kind, name, title, fields: [], gained: [], lost: [], needs: [], ...more };
  };
  const change = diffOf(BEFORE, AFTER).tasks.find((one) => one.task === "normalise");
  const after = (id: string) => dependenciesOf(named.get(id) ?? {});
  return [
    piece("add", "added", "sites", { fields: whole("sites"), gained: after("sites") }),
    piece("add", "added", "feed", { fields: whole("feed"), gained: after("feed"), needs: ["plan:grants"] }),
    piece("remove", "removed", "fetch", { needs: ["change:normalise"] }),
    piece("change", "changed", "normalise", {
      fields: change?.fields ?? [],
      gained: ["sites", "feed"],
      lost: ["fetch"],
      needs: ["add:feed", "add:sites"],
    }),
    piece("plan", "plan", "grants", {
      title: "grants",
      fields: [{ pointer: "grants", before: print(grantsOf(BEFORE), 2), after: print(grantsOf(AFTER), 2) }],
    }),
  ];

  function whole(id: string) {
    return [{ pointer: "", before: null, after: print(named.get(id) ?? null, 2) }];
  }
}

function grantsOf(document: Json): Json {
  return objectOf(document).grants ?? null;
}

function asked(id: string): DecisionView {
  const option = (answer: string, label: string, consequence: string, isDefault = false) => ({
    answer,
    label,
    consequence,
    isDefault,
  });
  const changes = [
    { kind: "asked", text: ASKED },
    { kind: "added", text: "Adds “Fetch 2 competitor sites” (`sites`), an agent, at the start." },
    { kind: "added", text: "Adds “Read Northwind feed” (`feed`), the tool `http.get`, at the start." },
    { kind: "changed", text: "Changes `dependencies` and `inputs` of “Normalise currencies” (`normalise`)." },
    { kind: "pruned", text: "Drops “Fetch competitor prices” (`fetch`)." },
  ];
  return {
    id,
    run: RUN,
    kind: "replan",
    task: null,
    taskTitle: null,
    question: "`fetch` failed. Go on with another plan? It asks for more than was approved.",
    options: [
      option("accept", "Accept the new plan", "Signs exactly these changes and goes on with them."),
      option("reject", "Keep the plan", "Nothing changes; you decide about the failed tasks one by one.", true),
      option("again", "Ask again", "The replanner hears what you say and proposes another one."),
      option("stop", "Stop the run", "The run ends as failed; what is done stays done."),
    ],
    form: null,
    about: JSON.stringify({ failed: ["fetch"], changes }),
    provenance: null,
    mayChange: false,
    holdsUp: 7,
    heldUp: ["Normalise currencies", "Map over SKUs", "Draw price charts"],
    openedAt: Date.now() - 5 * 60_000,
  };
}
