// The tools that a plan may name, read once, and again when servers of tools come and go.
import { create } from "zustand";
import type { ToolView } from "../ipc/bindings";
import { host } from "../ipc/host";
import { notifyFault } from "./notices";

export const useTools = create<{ tools: ToolView[] | null }>(() => ({ tools: null }));

let asked: Promise<void> | null = null;

/** Another set of servers is another set of tools. Who has read them reads them again. */
export function readToolsAgain(): Promise<void> {
  if (asked === null) return Promise.resolve();
  asked = null;
  return readTools();
}

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
