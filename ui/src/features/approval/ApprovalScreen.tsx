// Before anything runs: the plan on the canvas with what flows where, and at the right what it may touch. Signing starts it.

import { Eye, Route as RouteIcon, ShieldAlert } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { TitleBlock, ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import { type CanvasHandle, zoomKeys } from "../../components/canvas/viewport";
import { Button, Segments } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { ApprovalView, DraftView } from "../../ipc/bindings";
import { draftCards, draftEdges } from "../../state/cards";
import { useDraft } from "../../state/draft";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { ApprovalPanel } from "./ApprovalPanel";
import { useApproval } from "./useApproval";

type Overlay = "plain" | "untrusted" | "path";
const ORDER: readonly Overlay[] = ["untrusted", "path", "plain"];

export function ApprovalScreen({ run }: { run: string }) {
  const state = useApproval(run);
  const view = useDraft((s) => (s.run === run ? s.view : null));
  if (state.fault && !state.approval) {
    return (
      <FaultPanel title={t.approval.faultTitle} message={state.fault} onRetry={state.read}>
        <Button onClick={() => go({ screen: "plan", run })}>{t.approval.edit}</Button>
      </FaultPanel>
    );
  }
  if (!state.approval || !view) return <Skeleton rows={8} />;
  return <Approval view={view} approval={state.approval} state={state} />;
}

type Props = { view: DraftView; approval: ApprovalView; state: ReturnType<typeof useApproval> };

function Approval({ view, approval, state }: Props) {
  const panel = usePanel("approve.right");
  const canvas = useRef<CanvasHandle>(null);
  const [lit, setLit] = useState<ReadonlySet<string> | null>(null);
  const hasTaint = approval.untrusted.length > 0;
  const [overlay, setOverlay] = useState<Overlay>(hasTaint ? "untrusted" : "plain");
  const [hovered, setHovered] = useState<string | null>(null);
  const shown = ORDER.filter((o) => o !== "untrusted" || hasTaint);
  useKeys(
    {
      "ctrl+enter": () => void state.approve(),
      e: () => go({ screen: "plan", run: view.run }),
      o: () => setOverlay(shown[(shown.indexOf(overlay) + 1) % shown.length] ?? "plain"),
      escape: () => select([]),
    },
    "approve",
  );
  useKeys(zoomKeys(canvas), "canvas");
  const untrusted = overlay === "untrusted" ? approval.untrusted : [];
  const tasks = useMemo(() => draftCards(view, untrusted), [view, untrusted]);
  const edges = useMemo(() => draftEdges(view, untrusted), [view, untrusted]);
  const path = useMemo(() => new Set(approval.longestPath), [approval]);
  const chosen = useSelection((s) => s.tasks);
  const selection = useMemo(() => ({ tasks: chosen, edge: null }), [chosen]);
  const focused = hovered ?? chosen[0] ?? null;
  return (
    <Workbench
      right={{
        ...panel,
        isOpen: true,
        label: t.approval.title,
        resizeLabel: t.shell.rightPanel,
        node: <ApprovalPanel view={view} approval={approval} state={state} focused={focused} onLight={setLit} />,
      }}
    >
      <PlanCanvas
        label={t.canvas.plan(view.tasks.length, view.problems.length)}
        tasks={tasks}
        edges={edges}
        selection={selection}
        onSelect={(next) => select(next.tasks)}
        onHover={setHovered}
        lit={lit ?? (overlay === "path" ? path : null)}
        handle={canvas}
      >
        <div className="tool-group left overlays">
          <OverlayChoice overlay={overlay} shown={shown} onChange={setOverlay} />
        </div>
        <ToolGroup place="right" label={t.canvas.view}>
          <ZoomTools canvas={canvas} />
        </ToolGroup>
        {overlay === "untrusted" ? <Legend /> : <Facts view={view} approval={approval} />}
      </PlanCanvas>
    </Workbench>
  );
}

function OverlayChoice({
  overlay,
  shown,
  onChange,
}: {
  overlay: Overlay;
  shown: readonly Overlay[];
  onChange: (o: Overlay) => void;
}) {
  const icons = {
    plain: <Eye size={13} strokeWidth={1.75} />,
    untrusted: <ShieldAlert size={13} strokeWidth={1.75} />,
    path: <RouteIcon size={13} strokeWidth={1.75} />,
  };
  const order: readonly Overlay[] = ["plain", "untrusted", "path"];
  return (
    <Segments
      label={t.approval.overlayLabel}
      value={overlay}
      onChange={onChange}
      testId="overlay"
      choices={order
        .filter((o) => shown.includes(o))
        .map((o) => ({ value: o, label: t.approval.overlays[o], icon: icons[o] }))}
    />
  );
}

function Legend() {
  return (
    <div className="legend">
      <svg width="44" height="10" aria-hidden="true">
        <path className="legend-ladder" d="M0 5H44" />
        <path className="legend-line" d="M0 5H44" />
      </svg>
      <div>
        <b>{t.approval.legend}</b>
        <p className="xs t3">{t.approval.legendNote}</p>
      </div>
    </div>
  );
}

function Facts({ view, approval }: { view: DraftView; approval: ApprovalView }) {
  const facts = [
    { term: t.plan.facts.revision, text: String(view.revision) },
    { term: t.plan.facts.tasks, text: String(approval.tasks) },
    { term: t.approval.overlays.path, text: String(approval.longestPath.length) },
  ];
  return <TitleBlock facts={facts} />;
}
