// What a new task of each kind holds at first: as little as makes sense, so that the inspector shows what is left to say.
import type { ToolView } from "../../ipc/bindings";
import { t } from "../../text";

export const KIND_KEYS = { agent: "a", model: "m", tool: "t", code: "c", human: "q", map: "f", subplan: "s" } as const;
export type Kind = keyof typeof KIND_KEYS;
export const KINDS = Object.keys(KIND_KEYS) as Kind[];

const FIELDS: Record<Kind, Record<string, unknown>> = {
  agent: { instruction: "Say what to find out and how to answer.", tools: [] },
  model: { instruction: "Say what to answer from the inputs." },
  tool: { instruction: "Call a tool." },
  code: { instruction: "Work out a value from the inputs.", source: "return null;" },
  human: {
    instruction: "What do you want to know?",
    form: { type: "object", required: ["answer"], properties: { answer: { type: "string", title: "Answer" } } },
  },
  map: {
    instruction: "Do the same for each item.",
    over: "items",
    inputs: { items: [] },
    task: { id: "each", task_type: "code", instruction: "Work on one item.", source: "return null;" },
  },
  subplan: {
    instruction: "Run a nested plan.",
    plan: { tasks: [{ id: "first", task_type: "code", instruction: "Work out a value.", source: "return null;" }] },
  },
};

export function newTask(kind: Kind, tool?: ToolView): string {
  const title = tool ? tool.name : (t.plan.newTitle[kind] ?? kind);
  const id = (tool ? tool.name : kind === "human" ? "ask" : kind).replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
  const more = tool ? { tool: tool.name, instruction: tool.description } : {};
  return JSON.stringify({ id, title, task_type: kind, ...FIELDS[kind], ...more });
}
