// The left panel: what can be added, the outline of the plan, and its versions, one at a time.
import { X } from "lucide-react";
import { type RefObject, useEffect } from "react";
import { create } from "zustand";
import { IconButton, Tabs } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { t } from "../../text";
import { Outline } from "./Outline";
import { Palette } from "./Palette";
import type { StartDrag } from "./usePaletteDrag";
import { Versions } from "./versions/Versions";

type Tab = "add" | "outline" | "versions";

const useLeft = create<{ tab: Tab }>(() => ({ tab: "add" }));

export function showLeftTab(tab: Tab): void {
  useLeft.setState({ tab });
}

type Props = {
  view: DraftView;
  isLocked: boolean;
  find: RefObject<HTMLInputElement | null>;
  onAdd: (task: string) => void;
  onDrag: StartDrag;
  /** Where it lies over the canvas. */
  onClose: (() => void) | null;
};

export function LeftPanel({ view, isLocked, find, onAdd, onDrag, onClose }: Props) {
  const wanted = useLeft((s) => s.tab);
  const tab = isLocked && wanted === "add" ? "outline" : wanted;
  // Whoever comes to another plan adds to it first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another plan asks for this
  useEffect(() => () => showLeftTab("add"), [view.run]);
  const names = t.versions.tabs;
  const tabs = (["add", "outline", "versions"] as const).filter((value) => !(isLocked && value === "add"));
  return (
    <div className="left-panel">
      <div className="left-head">
        <Tabs
          label={t.versions.leftTabs}
          panel="left-panel-body"
          value={tab}
          onChange={showLeftTab}
          tabs={tabs.map((value) => ({ value, label: names[value] }))}
        />
        {onClose ? (
          <IconButton
            label={t.shell.hidePanel}
            hint={printKeys("ctrl+b")}
            size="small"
            icon={<X size={14} />}
            onClick={onClose}
            data-testid="left-close"
          />
        ) : null}
      </div>
      <div className="left-body" id="left-panel-body" role="tabpanel" aria-labelledby={`left-panel-body-${tab}`}>
        {tab === "add" ? <Palette view={view} find={find} onAdd={onAdd} onDrag={onDrag} /> : null}
        {tab === "outline" ? <Outline view={view} /> : null}
        {tab === "versions" ? <Versions view={view} /> : null}
      </div>
    </div>
  );
}
