// A question of the demo host, as the engine would ask it. It knows no run.
import type { DecisionView } from "../bindings";
import { type JsonObject, print, textOf } from "../json";

export function asking(id: string, run: string, task: string, doc: JsonObject, about: string | null): DecisionView {
  return {
    id,
    run,
    kind: "question",
    task,
    taskTitle: textOf(doc.title) || task,
    question: textOf(doc.instruction),
    options: [],
    form: print(doc.form ?? null),
    about,
    provenance: null,
    mayChange: false,
    holdsUp: 0,
    heldUp: [],
    openedAt: Date.now(),
  };
}
