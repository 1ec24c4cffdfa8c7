// What the demo's agents and model tasks say and do, and the words of the turn under way.
import type { AttemptView, CallView } from "../bindings";
import { type JsonObject, print, textOf } from "../json";
import { callOf } from "./recorded";

const THOUGHTS = [
  "I need the unit cost and the three prices of rivals first, all in one currency.",
  "All rivals are cheaper than last month. The margin fell under the floor, so I flag it.",
];

export function asksModels(doc: JsonObject): boolean {
  return doc.task_type === "agent" || doc.task_type === "model";
}

/** Two turns, or one of a model call; `result` null: the last one got no answer. */
export function turnsOf(
  key: string,
  doc: JsonObject,
  result: string | null,
  error: CallView["error"],
  startedAt: number,
): CallView[] {
  const tool = Array.isArray(doc.tools) ? textOf(doc.tools[0]) : "";
  const reads =
    tool && doc.task_type === "agent" ? [question(key, startedAt, THOUGHTS[0] ?? "", tool), call(key, tool)] : [];
  return [...reads, answer(key, startedAt, result, error)];

  function call(of: string, name: string): CallView {
    const came = { result: `{"rows":[{"sku":"4417","cost":0.31,"price":0.376}]}`, error: null, startedAt };
    return { ...callOf(`${of}-call`, name, `{"sku":"4417"}`, came), turn: "1.0", isUntrusted: true };
  }
}

function asked(key: string, startedAt: number): CallView {
  const came = { result: null, error: null, startedAt };
  const paid = { inputTokens: 812, outputTokens: 46, usd: "0", isCounted: true };
  return { ...callOf(key, "qwen3:8b", "null", came), effect: "read_external", isModel: true, paid };
}

function question(key: string, startedAt: number, text: string, tool: string): CallView {
  const reply = { thoughts: [], text, calls: [{ name: tool, arguments: `{"sku":"4417"}` }] };
  return { ...asked(`${key}-1`, startedAt), result: print({ outcome: { complete: reply } }), reply };
}

function answer(key: string, startedAt: number, result: string | null, error: CallView["error"]): CallView {
  const base = asked(`${key}-2`, startedAt);
  if (result === null) return { ...base, error, paid: null };
  const submits = [{ name: "submit_result", arguments: `{"result":${result}}` }];
  const reply = { thoughts: [THOUGHTS[1] ?? ""], text: "", calls: submits };
  return { ...base, result: print({ outcome: { complete: reply } }), reply };
}

/** An attempt whose question has no answer yet. */
export function thinking(key: string): AttemptView {
  const startedAt = Date.now();
  const calls = [{ ...asked(`${key}-0`, startedAt), endedAt: null, paid: null }];
  return { number: 1, goesOn: false, startedAt, endedAt: null, calls, error: null };
}

const WORD_MS = 60;

/** Tells the words of a thought one by one, while the task works. */
export function speak(isWorking: () => boolean, delta: (text: string, goesOn: boolean) => void): () => void {
  const words = THOUGHTS.join(" ").split(" ");
  let at = 0;
  const timer = setInterval(() => {
    if (!isWorking()) return;
    if (at < words.length) delta(`${words[at]} `, at > 0);
    at += 1;
  }, WORD_MS);
  return () => clearInterval(timer);
}
