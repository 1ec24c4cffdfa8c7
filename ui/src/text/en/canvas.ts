// Words on and around the canvas.
import { count, whole } from "../format";

export const canvas = {
  wave: (n: number) => `Wave ${n}`,
  atOnce: (n: number) => (n === 1 ? "1 task" : `${n} at once`),
  makesLoop: "makes a loop",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  zoomActual: (now: number) => `${now}%, zoom to 100 %`,
  fit: "Fit all",
  tools: "Canvas tools",
  view: "View",
  plan: (tasks: number, problems: number) =>
    `Plan, ${count(tasks, "task")}, ${problems === 0 ? "no problems" : count(problems, "problem")}`,
  run: (tasks: number, done: number) => `Run, ${count(tasks, "task")}, ${done} done`,
  card: (parts: readonly string[]) => parts.filter(Boolean).join(", "),
  more: (n: number) => `${n} more`,
  feeds: (names: string) => `feeds ${names}`,
  after: (names: string) => `after ${names}`,
  change: { added: "Added", removed: "Removed", changed: "Changed", kept: "Kept" },
  collects: "one list, in order",
  noInner: "No task yet",
  items: (over: number, all: number) => `${whole(over)} of ${whole(all)}`,
  itemsNow: (over: number, all: number, states: string) =>
    `${whole(over)} of ${count(all, "item")} over${states ? `: ${states}` : ""}`,
  item: (n: number, all: number) => `Item ${whole(n)} of ${whole(all)}`,
  insertHere: "Insert a task here",
  cutEdge: "Disconnect",
  noInstruction: "It has no instruction yet.",
  near: { in: "In", out: "Out", tools: "Tools", touches: "Touches" },
  noteLabel: (text: string) => `Note: ${text.slice(0, 80)}`,
  noteRemove: "Remove this note",
  noteText: "Text of the note",
  noteHint: "Write a note",
};

export const time = {
  inSeconds: (s: number) => (s < 60 ? `in ${s} s` : `in ${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`),
  anyMoment: "now",
};
