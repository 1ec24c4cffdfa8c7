// Answers a decision, once. The engine says no to a second answer; then the lists are read anew.
import type { DecisionView } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { readInbox } from "./lists";

/** `given` is JSON text. Answers null, or what went wrong in words. */
export async function answer(decision: DecisionView, given: string): Promise<string | null> {
  try {
    await host().decide(decision.run, decision.id, given);
    return null;
  } catch (thrown) {
    return asFault(thrown).message;
  } finally {
    void readInbox();
  }
}
