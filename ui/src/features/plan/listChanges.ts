// What the list shows of a difference: a proposed change over the draft, or two versions as one. It gives the plan with what
// would come or has gone as rows of its own, and says of each row what becomes of it. Pure; it draws nothing.
import type { DraftEdge, DraftTask, DraftView, PieceView, ProposalView } from "../../ipc/bindings";
import { objectOf, textOf, tryParse } from "../../ipc/json";
import { leftOf } from "../../state/proposal";
import type { Compared } from "../../state/versions";
import { t } from "../../text";

export type RowChange = {
  kind: "added" | "removed" | "changed";
  /** Such as “would be added”. */
  word: string;
  /** The names of the fields that differ. */
  fields: string[];
  /** The piece of a proposal that it is. */
  piece: PieceView | null;
};

type Mark = "added" | "removed";
export type Changed = {
  view: DraftView;
  byTask: ReadonlyMap<string, RowChange>;
  /** By `from→to`. */
  edges: ReadonlyMap<string, Mark>;
  /** What of a proposal is about the plan itself. */
  plan: readonly PieceView[];
};

const edgeKey = (from: string, to: string) => `${from}→${to}`;

export function unchanged(view: DraftView): Changed {
  return { view, byTask: new Map(), edges: new Map(), plan: [] };
}

export function withProposed(view: DraftView, proposal: ProposalView | null): Changed {
  const left = leftOf(proposal);
  if (left.length === 0) return unchanged(view);
  const known = new Set(view.tasks.map((task) => task.id));
  const tasks = left.filter((piece) => piece.kind !== "plan");
  const ghosts = tasks.filter((piece) => piece.kind === "added" && !known.has(piece.name)).map(ghost);
  const all = [...view.tasks, ...ghosts];
  const ids = new Set(all.map((task) => task.id));
  const edges = new Map<string, Mark>();
  const comes: DraftEdge[] = [];
  const there = new Set(view.edges.map((edge) => edgeKey(edge.from, edge.to)));
  for (const piece of tasks) {
    for (const from of piece.lost) edges.set(edgeKey(from, piece.name), "removed");
    for (const from of piece.gained) {
      const key = edgeKey(from, piece.name);
      if (!ids.has(from) || there.has(key)) continue;
      edges.set(key, "added");
      comes.push({ from, to: piece.name, inputs: [], isInLoop: false });
    }
  }
  const byTask = new Map(tasks.map((piece) => [piece.name, proposedRow(piece)]));
  const plan = left.filter((piece) => piece.kind === "plan");
  return { view: { ...view, tasks: all, edges: [...view.edges, ...comes] }, byTask, edges, plan };
}

function proposedRow(piece: PieceView): RowChange {
  const kind = piece.kind === "plan" ? "changed" : piece.kind;
  const fields = kind === "changed" ? piece.fields.map((field) => t.proposal.field(field.field)).filter(Boolean) : [];
  return { kind, word: t.proposal.marked[kind], fields, piece };
}

/** A task that is only proposed, as a row. */
function ghost(piece: PieceView): DraftTask {
  const text = piece.fields[0]?.after ?? "{}";
  const document = objectOf(tryParse(text));
  return {
    id: piece.name,
    pointer: "",
    title: piece.title,
    taskType: textOf(document.task_type) || "agent",
    detail: "",
    wave: null,
    position: null,
    needs: [],
    document: text,
    pinned: false,
    breakpoint: null,
  };
}

export function withCompared({ before, after, diff }: Compared): Changed {
  const byTask = new Map<string, RowChange>();
  for (const task of diff.tasks) {
    if (task.change === "kept") continue;
    const fields = task.fields.map((field) => t.versions.field(field.pointer));
    byTask.set(task.task, { kind: task.change, word: t.versions.change[task.change], fields, piece: null });
  }
  const gone = before.tasks.filter((task) => byTask.get(task.id)?.kind === "removed");
  const edges = new Map<string, Mark>(
    diff.edges.map((edge) => [edgeKey(edge.from, edge.to), edge.isAdded ? "added" : "removed"]),
  );
  const lost = before.edges.filter((edge) => edges.get(edgeKey(edge.from, edge.to)) === "removed");
  const view = {
    ...after,
    isDraft: false,
    tasks: [...after.tasks, ...gone],
    edges: [...after.edges, ...lost],
    problems: [],
  };
  return { view, byTask, edges, plan: [] };
}

/** The names before and after each task, with `+` and `−` before those that come and go. */
export function linksOf({ view, edges }: Changed, names: ReadonlyMap<string, string>) {
  const after = new Map<string, string[]>();
  const feeds = new Map<string, string[]>();
  const put = (into: Map<string, string[]>, of: string, name: string, mark: Mark | undefined) => {
    const sign = mark === undefined ? "" : `${t.proposal.sign[mark]} `;
    const known = into.get(of);
    if (known) known.push(sign + name);
    else into.set(of, [sign + name]);
  };
  for (const { from, to } of view.edges) {
    const mark = edges.get(edgeKey(from, to));
    put(after, to, names.get(from) ?? from, mark);
    put(feeds, from, names.get(to) ?? to, mark);
  }
  return { after, feeds };
}
