// Short messages at the bottom left: at most three, six seconds each, longer for faults. What needs an answer is no notice.
import { create } from "zustand";
import { asFault } from "../ipc/host";

export type Notice = {
  id: number;
  tone: "done" | "plain" | "fault";
  text: string;
  action: { label: string; act: () => void } | null;
};

const MOST = 3;
let next = 1;

export const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }));

export function notify(text: string, more: Partial<Omit<Notice, "id" | "text">> = {}): void {
  const notice: Notice = { id: next++, tone: "plain", action: null, ...more, text };
  useNotices.setState(({ notices }) => ({ notices: [...notices.filter((n) => n.text !== text), notice].slice(-MOST) }));
}

/** Shows what happened in the engine's own words. Nothing that fails is silent. */
export function notifyFault(thrown: unknown): void {
  notify(asFault(thrown).message, { tone: "fault" });
}

export function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((n) => n.id !== id) }));
}

/** Those that offer to do something. */
export function dismissActs(): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((n) => n.action === null) }));
}

/** Runs a request; a fault becomes a notice, and the answer is undefined then. */
export async function attempt<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (thrown) {
    notifyFault(thrown);
    return undefined;
  }
}
