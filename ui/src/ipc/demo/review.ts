// Looking back in the demo host: the time axis and any moment of a played run, told from its events. No engine: nothing is
// worked out that its events do not say.
import type { DraftView, EventView, GoingBackView, MomentView, RunRow, TaskStatus } from "../bindings";
import { Fault, type Host } from "../host";
import { type Json, textOf } from "../json";
import { comparing } from "./compare";
import type { Laid } from "./laid";
import type { DemoRun } from "./play";
import { blank } from "./recorded";
import { costOf, sum, timelineOf } from "./reviewLine";
import { tasksOf } from "./ways";

type Draft = {
  run: string;
  title: string;
  path: string | null;
  document: Json;
  madeFrom: string | null;
  forkOf: string | null;
  versions: { laid: Laid };
};

type Around = {
  find: (run: string) => Draft;
  show: (draft: Draft) => DraftView;
  add: (title: string, path: string | null, text: string) => Draft;
  playing: (run: string) => DemoRun;
  rows: () => RunRow[];
  runs: ReadonlyMap<string, DemoRun>;
};

type Commands = Pick<
  Host,
  | "timeline"
  | "moment"
  | "planAt"
  | "rewindPreview"
  | "forkPreview"
  | "rerunPreview"
  | "rewindRun"
  | "forkRun"
  | "rerunFrom"
  | "compareRuns"
  | "compareOutputs"
  | "runFamily"
>;

const STATUS: Record<string, TaskStatus> = {
  task_started: "RUNNING",
  task_retrying: "RETRYING",
  decision_opened: "WAITING",
  decision_answered: "COMPLETED",
  task_completed: "COMPLETED",
  task_failed: "FAILED",
  task_reset: "PENDING",
};

export function reviewing({ find, show, add, playing, rows, runs }: Around): Commands {
  const docsOf = (run: string) => tasksOf(find(run).document);
  const statusAt = (run: string, seq: number) => statesOf(playing(run).events.slice(0, seq));
  const preview = (run: string, seq: number): GoingBackView => {
    const states = statusAt(run, seq);
    const all = docsOf(run).map((doc) => ({ id: textOf(doc.id), type: textOf(doc.task_type), tool: textOf(doc.tool) }));
    const again = all.filter((task) => states.get(task.id) !== "COMPLETED");
    const later = playing(run).events.slice(seq);
    const did = (id: string) => later.some((event) => event.task === id && event.kind === "task_completed");
    return {
      seq,
      reused: all.filter((task) => states.get(task.id) === "COMPLETED").map((task) => task.id),
      again: again.map((task) => task.id),
      paid: sum(again.filter((task) => did(task.id)).map((task) => costOf(task.type))),
      effects: again
        .filter((task) => task.tool === "file.write" && did(task.id))
        .map((task) => ({ task: task.id, tool: task.tool, effect: "write", seq, at: Date.now(), isKnown: true })),
      files: again
        .filter((task) => task.tool === "file.write" && did(task.id))
        .map((task) => ({
          path: "run:/margin-report.md",
          tool: task.tool,
          seq,
          wasAbsent: true,
          now: "as_left",
          whyNot: null,
        })),
      whyNot: null,
    };
  };
  const setBack = (run: string, seq: number, kind: string, text: string) => {
    const live = playing(run);
    const states = statusAt(run, seq);
    for (const [id] of live.tasks) if (states.get(id) !== "COMPLETED") live.tasks.set(id, blank(id));
    for (const id of live.tasks.keys()) if (states.get(id) !== "COMPLETED") live.outputs.delete(id);
    live.events.push({ seq: live.events.length + 1, at: Date.now(), kind, task: null, text });
    live.decisions = [];
    live.output = null;
    live.endedAt = null;
    live.status = "RUNNING";
    live.pause();
  };
  return {
    ...comparing({ rows, runs, find }),
    timeline: async (run) => timelineOf(playing(run), docsOf(run)),
    moment: async (run, seq) => momentOf(playing(run), seq),
    planAt: async (run) => ({ ...show(find(run)), isDraft: false }),
    rewindPreview: async (run, seq) => {
      const view = preview(run, seq);
      const isEnd = seq >= playing(run).events.length;
      return { ...view, whyNot: isEnd ? "This is where the run is now. Choose an earlier moment." : null };
    },
    forkPreview: async (run, seq) => preview(run, seq),
    rerunPreview: async (run, task) => {
      const from = playing(run).events.findIndex((event) => event.task === task);
      return preview(run, Math.max(1, from));
    },
    rewindRun: async (run, seq) => setBack(run, seq, "run_rewound", `Went back to event ${seq}.`),
    rerunFrom: async (run, task) => {
      const from = playing(run).events.findIndex((event) => event.task === task);
      setBack(run, Math.max(1, from), "run_reopened", `${task} and all behind it run again.`);
    },
    forkRun: async (run, seq) => {
      const old = find(run);
      const draft = add(old.title, old.path, "{}");
      draft.document = old.document;
      draft.madeFrom = run;
      draft.versions.laid.isAgain = true;
      draft.forkOf = run;
      const states = statusAt(run, seq);
      for (const [id, json] of playing(run).outputs)
        if (states.get(id) === "COMPLETED") draft.versions.laid.pins.set(id, json);
      return draft.run;
    },
  };
}

function statesOf(events: readonly EventView[]): Map<string, TaskStatus> {
  const states = new Map<string, TaskStatus>();
  for (const event of events) {
    const status = STATUS[event.kind];
    if (event.task && status) states.set(event.task, status);
  }
  return states;
}

function momentOf(run: DemoRun, seq: number): MomentView {
  const event = run.events[seq - 1];
  if (!event) throw new Fault("no_such_event", `The run's log has events 1 to ${run.events.length}.`);
  const upto = run.events.slice(0, seq);
  const states = statesOf(upto);
  const tasks = [...run.tasks.values()].map((now) => {
    const status = states.get(now.id) ?? "PENDING";
    const starts = upto.filter((e) => e.task === now.id && e.kind === "task_started");
    const isDone = status === "COMPLETED";
    return {
      ...blank(now.id),
      status,
      attempts: starts.length,
      startedAt: starts[starts.length - 1]?.at ?? null,
      endedAt: isDone ? now.endedAt : null,
      summary: isDone ? now.summary : null,
      wait: status === "RETRYING" ? { reason: "backoff" as const, text: "Trying again", until: null } : null,
    };
  });
  const counts = new Map<TaskStatus, number>();
  for (const task of tasks) counts.set(task.status, (counts.get(task.status) ?? 0) + 1);
  const isEnd = seq === run.events.length;
  const row = run.row();
  return {
    row: {
      ...row,
      status: isEnd ? row.status : "RUNNING",
      counts: [...counts].map(([status, count]) => ({ status, count })),
      ranMs: (event.at ?? 0) - (run.events[0]?.at ?? 0),
    },
    seq,
    event,
    document: `demo-${run.revision}`,
    tasks,
    items: [],
    outputs: tasks
      .filter((task) => task.status === "COMPLETED")
      .map((task) => ({ task: task.id, line: (run.outputs.get(task.id) ?? "").slice(0, 160) })),
    decisions: [],
    output: isEnd ? run.output : null,
  };
}
