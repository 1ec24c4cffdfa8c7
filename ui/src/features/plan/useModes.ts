// How a plan is looked at, and which panels stand beside it. It knows nothing of what is done there.
import { useState } from "react";
import { usePanel } from "../../state/panels";
import { useSettings } from "../../state/settings";

export type Mode = "canvas" | "list" | "json";

/** How each plan was looked at last; one that is opened anew begins as the person likes it. */
const modes = new Map<string, Mode>();

export function useMode(run: string): [Mode, (mode: Mode) => void] {
  const usual = useSettings((s) => s.planView);
  const [now, setNow] = useState({ run, mode: modes.get(run) ?? usual });
  const mode = now.run === run ? now.mode : (modes.get(run) ?? usual);
  const setMode = (next: Mode) => {
    modes.set(run, next);
    setNow({ run, mode: next });
  };
  return [mode, setMode];
}

export type Panels = ReturnType<typeof usePanels>;

/** In a narrow window the left one is folded: then it lies over the canvas, and only when it was asked for. */
export function usePanels() {
  const left = usePanel("plan.left");
  const right = usePanel("plan.right");
  const [isFolded, setFolded] = useState(false);
  const [isLeftShown, setLeftShown] = useState(false);
  const showLeft = () => setLeftShown(true);
  const hideLeft = () => setLeftShown(false);
  return {
    left,
    right,
    isFolded,
    setFolded,
    isLeftShown,
    showLeft,
    hideLeft,
    openLeft: () => (isFolded ? showLeft() : left.isOpen || left.toggle()),
    toggleLeft: () => (isFolded ? setLeftShown(!isLeftShown) : left.toggle()),
  };
}
