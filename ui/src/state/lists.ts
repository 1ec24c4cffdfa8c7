// The first screen, the list of runs and the open decisions, as last read. Read again after every act and now and then.
import { create } from "zustand";
import type { DecisionView, HomeView, RunRow } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";

type Lists = {
  home: HomeView | null;
  runs: RunRow[] | null;
  inbox: DecisionView[] | null;
  homeFault: Fault | null;
  runsFault: Fault | null;
  inboxFault: Fault | null;
};

export const useLists = create<Lists>(() => ({
  home: null,
  runs: null,
  inbox: null,
  homeFault: null,
  runsFault: null,
  inboxFault: null,
}));

export async function readHome(): Promise<void> {
  try {
    const home = await host().home();
    useLists.setState({ home, runs: useLists.getState().runs ?? home.runs, homeFault: null });
  } catch (thrown) {
    useLists.setState({ homeFault: asFault(thrown) });
  }
}

export async function readRuns(): Promise<void> {
  try {
    useLists.setState({ runs: await host().listRuns(), runsFault: null });
  } catch (thrown) {
    useLists.setState({ runsFault: asFault(thrown) });
  }
}

export async function readInbox(): Promise<void> {
  try {
    useLists.setState({ inbox: await host().inbox(), inboxFault: null });
  } catch (thrown) {
    useLists.setState({ inboxFault: asFault(thrown) });
  }
}

const EVERY_MS = 3000;

/** Keeps the open decisions (and with them the badge) fresh while the window is shown. */
export function keepFresh(): () => void {
  const read = () => {
    if (document.visibilityState === "visible") void readInbox();
  };
  read();
  const timer = window.setInterval(read, EVERY_MS);
  document.addEventListener("visibilitychange", read);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener("visibilitychange", read);
  };
}
