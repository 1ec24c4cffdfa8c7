// Which run is to be compared with another one: asked for on any screen, chosen in one dialog.
import { create } from "zustand";
import type { FamilyView } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { go } from "./route";

type State = {
  /** The run that another one is chosen for. */
  asking: string | null;
  family: FamilyView | null;
  fault: Fault | null;
};

const NOTHING: State = { asking: null, family: null, fault: null };

export const useAsked = create<State>(() => NOTHING);

/** Opens the dialog, and reads what there is to choose from. */
export async function askCompare(run: string): Promise<void> {
  useAsked.setState({ asking: run, family: null, fault: null });
  try {
    const family = await host().runFamily(run);
    if (useAsked.getState().asking === run) useAsked.setState({ family });
  } catch (thrown) {
    if (useAsked.getState().asking === run) useAsked.setState({ fault: asFault(thrown) });
  }
}

export function leaveCompare(): void {
  useAsked.setState(NOTHING);
}

/** Shows both side by side. */
export function compareWith(b: string): void {
  const { asking } = useAsked.getState();
  if (asking === null) return;
  leaveCompare();
  go({ screen: "compare", a: asking, b });
}
