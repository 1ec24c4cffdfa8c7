// What a person has laid on the tasks of a demo draft: outputs that are held, and where its run stops.
import type { BreakpointView, DraftTask, DraftView, Problem, TaskView } from "../bindings";
import { isObject, type Json, objectOf, parse, textOf, tryParse } from "../json";

/** What undo comes back to, and what it is called. */
export type Moment = { document: Json; laid: Laid; label: string };

export class Laid {
  readonly pins = new Map<string, string>();
  readonly stops = new Map<string, BreakpointView>();
  /** Of a fork: its run plays what was recorded the second time. */
  isAgain = false;
  private readonly passed = new Set<string>();

  /** What lies on another draft of the same plan. */
  copy(): Laid {
    const copy = new Laid();
    copy.takeOver(this);
    return copy;
  }

  takeOver(other: Laid): void {
    for (const [task, output] of other.pins) this.pins.set(task, output);
    for (const [task, stop] of other.stops) this.stops.set(task, stop);
    this.isAgain = other.isAgain;
  }

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
    const problems = [...tasks.flatMap((task) => this.unfit(task)), ...view.problems];
    return { ...view, tasks, problems };
  }

  /** A held output that its task's schema allows no more, as far as the demo reads schemas. */
  private unfit(task: DraftTask): Problem[] {
    const held = this.pins.get(task.id);
    if (held === undefined) return [];
    const schema = objectOf(objectOf(tryParse(task.document)).output_schema);
    const value = parse(held);
    const required = Array.isArray(schema.required) ? schema.required.map(textOf) : [];
    const lacks = isObject(value) ? required.find((name) => !(name in value)) : undefined;
    const isOther = schema.type === "object" ? !isObject(value) : schema.type === "array" && !Array.isArray(value);
    if (!lacks && !isOther) return [];
    const why = lacks ? `"${lacks}" is a required property` : `it is no ${textOf(schema.type)}`;
    const message = `The output that is held for \`${task.id}\` does not fit its output schema any more: ${why}. It is kept; remove the pin, pin another output, or mend the schema.`;
    const fix = { label: "Remove the pin", edits: [], unpins: task.id };
    const pointer = `${task.pointer}/output_schema`;
    return [{ code: "held_output", severity: "error", message, pointer, tasks: [task.id], fix }];
  }

  onTask(task: TaskView): TaskView {
    return { ...task, pinned: this.pins.has(task.id), breakpoint: this.stops.get(task.id) ?? null };
  }
}
