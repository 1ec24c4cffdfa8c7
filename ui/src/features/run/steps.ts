// What happened in the attempts of a task, as steps that a person reads: thoughts, calls, what they gave, answers. Pure.
import type { AskedCallView, AttemptView, CallView, PaidView } from "../../ipc/bindings";

/** `raw` is JSON text: a reply as it is stored, or the value that a tool was given or gave. */
type Common = { turn: number | null; took: number | null };

export type Step = Common &
  (
    | { kind: "thought"; text: string; raw: string; paid: PaidView | null }
    | { kind: "answer"; text: string; json: string | null; raw: string; paid: PaidView | null; isSentBack: boolean }
    | { kind: "call"; call: CallView }
    | { kind: "notMade"; asked: AskedCallView }
    | { kind: "observation"; call: CallView; isOfAgent: boolean }
    | { kind: "failed"; call: CallView }
    | { kind: "live"; model: string }
  );

/** By this call an agent hands in its result. */
const SUBMIT = "submit_result";

/** The steps of each attempt; turns count on where an attempt goes on from the one before. */
export function stepsOf(attempts: readonly AttemptView[]): Step[][] {
  const turns = { last: 0 };
  return attempts.map((attempt) => {
    const calls = attempt.calls;
    if (!attempt.goesOn) turns.last = 0;
    return calls.flatMap((call, ix) => (call.isModel ? question(calls, ix, turns) : toolCall(call)));
  });
}

function question(calls: readonly CallView[], ix: number, turns: { last: number }): Step[] {
  const call = calls[ix] as CallView;
  const took = tookOf(call);
  if (call.endedAt === null) return [{ kind: "live", model: call.tool, turn: turns.last + 1, took: null }];
  if (!call.reply) return [{ kind: "failed", call, turn: null, took }];
  // Replies that were cut off count too, so that what was called for it knows best.
  turns.last = turnOf(calls[ix + 1]) ?? turns.last + 1;
  const turn = turns.last;
  const { reply } = call;
  const raw = call.result ?? "null";
  const isLast = !calls.slice(ix + 1).some((later) => later.isModel);
  const common = { turn, took, raw, paid: call.paid };
  const submitted = reply.calls.find((asked) => asked.name === SUBMIT);
  const thoughts = [...reply.thoughts, ...(reply.calls.length > 0 && reply.text ? [reply.text] : [])];
  const steps: Step[] = [];
  if (thoughts.length > 0 || reply.calls.length > (submitted ? 1 : 0))
    steps.push({ kind: "thought", text: thoughts.join("\n\n"), ...common });
  const made = new Set(calls.slice(ix + 1).map((later) => later.turn));
  const asked = reply.calls.map((one, place) => ({ one, isMade: made.has(`${turn}.${place}`) }));
  const unmade = asked.filter(({ one, isMade }) => !isMade && one.name !== SUBMIT);
  if (submitted || reply.calls.length === 0) {
    // What it took is said once, where the turn begins.
    const paid = steps.length > 0 ? null : call.paid;
    const text = submitted ? "" : reply.text;
    const json = submitted ? submitted.arguments : null;
    steps.push({ kind: "answer", text, json, isSentBack: !isLast, ...common, paid });
  }
  // Those of the newest turn may still come.
  if (!isLast) steps.push(...unmade.map(({ one }): Step => ({ kind: "notMade", asked: one, turn, took: null })));
  return steps;
}

function turnOf(call: CallView | undefined): number | null {
  return call?.turn ? Number(call.turn.split(".")[0]) : null;
}

function toolCall(call: CallView): Step[] {
  const turn = turnOf(call);
  const made: Step = { kind: "call", call, turn, took: tookOf(call) };
  if (call.endedAt === null && call.result === null && call.error === null) return [made];
  return [made, { kind: "observation", call, isOfAgent: call.turn !== null, turn, took: null }];
}

function tookOf(call: CallView): number | null {
  return call.startedAt === null || call.endedAt === null ? null : call.endedAt - call.startedAt;
}

/** One line of it, for a reader and where there is little room. */
export function briefOf(step: Step): string {
  switch (step.kind) {
    case "thought":
      return firstLine(step.text);
    case "answer":
      return firstLine(step.json ?? step.text);
    case "call":
      return firstLine(step.call.arguments);
    case "notMade":
      return firstLine(step.asked.arguments);
    case "observation":
      return firstLine(step.call.error?.message ?? step.call.result ?? "");
    case "failed":
      return firstLine(step.call.error?.message ?? "");
    case "live":
      return step.model;
  }
}

const LINE = 160;

function firstLine(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line;
}
