// Words of the dry run: the schedule that a run would have.
import { count } from "../format";

export const schedule = {
  title: "Schedule",
  open: "Schedule",
  back: "Plan",
  faultTitle: "The schedule can't be shown",
  intro: "What would run when, by what is known. Nothing is called.",
  as: "Show",
  chart: "Chart",
  lanes: "By slot",
  table: "Table",
  summary: (time: string, atOnce: number, allowed: number) =>
    `${time}; ${atOnce === 1 ? "one task" : `up to ${atOnce} tasks`} at once, ${allowed} allowed.`,
  plusYou: (n: number) => `Your ${n === 1 ? "answer is" : `${count(n, "answer")} are`} not in it.`,
  leftOut: (n: number) => `${count(n, "task")} will not run and ${n === 1 ? "is" : "are"} not in it.`,
  untimed: (n: number) =>
    `${n === 1 ? "One task has" : `${n} tasks have`} no known time: drawn dashed, as long as the others usually are.`,
  task: "Task",
  starts: "Starts",
  ends: "Ends",
  takes: "Takes",
  slot: "Slot",
  onPath: "Longest path",
  yes: "yes",
  no: "no",
  you: "you",
  waits: "waits for you",
  atStart: "at once",
  after: (time: string) => `after ${time}`,
  slotName: (n: number) => `Slot ${n}`,
  more: (n: number) => `Show ${count(n, "more task")}`,
  legend: { likely: "likely", range: "earliest to latest", assumed: "time unknown", path: "longest path" },
  row: (name: string, start: string, end: string, isOnPath: boolean) =>
    `${name}: starts ${start}, ends ${end}${isOnPath ? ", on the longest path" : ""}`,
  chartLabel: (tasks: number) => `Schedule of ${count(tasks, "task")}. As a table: press T.`,
};
