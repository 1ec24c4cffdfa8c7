// Which of the plan's problems are on show: by severity, of the chosen task, by words. What is stepped through is what is shown.
import { create } from "zustand";
import type { DraftView, Problem } from "../../ipc/bindings";

export type Severity = Problem["severity"];

type Filter = { severity: Severity | null; ofChosen: boolean; text: string };

const NONE: Filter = { severity: null, ofChosen: false, text: "" };

export const useProblemFilter = create<Filter>(() => NONE);

export function filterBy(change: Partial<Filter>): void {
  useProblemFilter.setState(change);
}

export function isFiltered({ severity, ofChosen, text }: Filter): boolean {
  return severity !== null || ofChosen || text.trim() !== "";
}

export function showAllProblems(): void {
  useProblemFilter.setState(NONE);
}

/** All words must be found in the message, the code or the names of the tasks. */
export function shownProblems(view: DraftView, filter: Filter, chosen: string | undefined): readonly Problem[] {
  if (!isFiltered(filter)) return view.problems;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = new Map(view.tasks.map((task) => [task.id, task.title]));
  return view.problems.filter((problem) => {
    if (filter.severity !== null && problem.severity !== filter.severity) return false;
    if (filter.ofChosen && chosen !== undefined && !problem.tasks.includes(chosen)) return false;
    const said = [problem.message, problem.code, ...problem.tasks.flatMap((id) => [id, names.get(id) ?? ""])];
    const text = said.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
