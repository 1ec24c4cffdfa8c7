// What a person has laid on the tasks of a demo draft: outputs that are held, and where its run stops.
import type { BreakpointView, DraftView, TaskView } from "../bindings";

export class Laid {
  readonly pins = new Map<string, string>();
  readonly stops = new Map<string, BreakpointView>();
  private readonly passed = new Set<string>();

  /** True once for each side of a task that has a breakpoint there. */
  stopsAt(task: string, side: "before" | "after"): boolean {
    const at = this.stops.get(task);
    const mark = `${side} ${task}`;
    if ((at !== side && at !== "both") || this.passed.has(mark)) return false;
    this.passed.add(mark);
    return true;
  }

  on(view: DraftView): DraftView {
    const tasks = view.tasks.map((task) => ({
      ...task,
      pinned: this.pins.has(task.id),
      breakpoint: this.stops.get(task.id) ?? null,
    }));
    return { ...view, tasks };
  }

  onTask(task: TaskView): TaskView {
    return { ...task, pinned: this.pins.has(task.id), breakpoint: this.stops.get(task.id) ?? null };
  }
}
