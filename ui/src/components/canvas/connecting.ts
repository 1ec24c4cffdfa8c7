// While an edge is being drawn: from where, and which targets the engine allows. Gone when the pointer is released.
import { create } from "zustand";

type Connecting = {
  from: string | null;
  /** Target → null (allowed) or why not. Null until the engine has answered. */
  verdicts: Map<string, string | null> | null;
  /** The card under the pointer, and where the pointer is in the window. */
  over: { task: string | null; x: number; y: number } | null;
};

export const useConnecting = create<Connecting>(() => ({ from: null, verdicts: null, over: null }));

export function startConnecting(from: string): void {
  useConnecting.setState({ from, verdicts: null, over: null });
}

export function showVerdicts(from: string, verdicts: Map<string, string | null>): void {
  if (useConnecting.getState().from === from) useConnecting.setState({ verdicts });
}

export function stopConnecting(): void {
  useConnecting.setState({ from: null, verdicts: null, over: null });
}

/** A whole card is a target, not only its port. */
export function taskUnder(client: { x: number; y: number }): string | null {
  const node = document.elementFromPoint(client.x, client.y)?.closest<HTMLElement>(".react-flow__node");
  return node?.dataset.id ?? null;
}

/** Until the engine has answered, every target is open: the engine judges the edge again when it is made. */
export function mayConnect(to: string): boolean {
  const verdict = useConnecting.getState().verdicts?.get(to);
  return verdict === undefined || verdict === null;
}
