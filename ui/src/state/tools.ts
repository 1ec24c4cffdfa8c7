// The tools that a plan may name, read once: they change only when the app starts again.
import { create } from "zustand";
import type { ToolView } from "../ipc/bindings";
import { host } from "../ipc/host";
import { notifyFault } from "./notices";

export const useTools = create<{ tools: ToolView[] | null }>(() => ({ tools: null }));

let asked: Promise<void> | null = null;

export function readTools(): Promise<void> {
  asked ??= host()
    .listTools()
    .then(
      (tools) => useTools.setState({ tools }),
      (thrown) => {
        asked = null;
        notifyFault(thrown);
      },
    );
  return asked;
}
