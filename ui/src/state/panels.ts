// The size and open state of one panel, remembered by stage.
import { type PanelKey, setPanel, useSettings } from "./settings";

const USUAL: Record<PanelKey, { size: number; min: number; max: number }> = {
  "plan.left": { size: 248, min: 200, max: 360 },
  "plan.right": { size: 344, min: 300, max: 560 },
  "approve.right": { size: 480, min: 360, max: 600 },
  "run.right": { size: 440, min: 320, max: 620 },
  "run.bottom": { size: 104, min: 60, max: 420 },
  "replan.right": { size: 480, min: 360, max: 640 },
  "review.right": { size: 440, min: 320, max: 620 },
  "review.bottom": { size: 372, min: 150, max: 760 },
  "compare.left": { size: 264, min: 200, max: 400 },
  "waiting.left": { size: 288, min: 220, max: 400 },
  "waiting.right": { size: 304, min: 260, max: 440 },
};

export function usePanel(key: PanelKey) {
  const kept = useSettings((s) => s.panels[key]);
  const { size: usual, min, max } = USUAL[key];
  const size = Math.min(max, Math.max(min, kept?.size ?? usual));
  const isOpen = kept?.open ?? true;
  return {
    size,
    usual,
    min,
    max,
    isOpen,
    onSize: (next: number) => setPanel(key, { size: next, open: isOpen }, false),
    onRest: (next: number) => setPanel(key, { size: next, open: isOpen }),
    toggle: () => setPanel(key, { size, open: !isOpen }),
  };
}
