// Before anything runs: the plan on the canvas with what flows where, and at the right what it may touch. Signing starts it.

import { ChartGantt, Eye, Route as RouteIcon, ShieldAlert } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { TitleBlock, ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import type { CanvasTask } from "../../components/canvas/model";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import { type CanvasHandle, zoomKeys } from "../../components/canvas/viewport";
import { Button, Segments } from "../../components/controls/controls";
import { printKeys, useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { ApprovalView, DraftView } from "../../ipc/bindings";
import { objectOf, print } from "../../ipc/json";
import { draftCards, draftEdges, namesOf } from "../../state/cards";
import { useDraft } from "../../state/draft";
import { byTask, estimateFacts, slowest } from "../../state/estimateTexts";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import { ApprovalPanel } from "./ApprovalPanel";
import { Schedule } from "./schedule/Schedule";
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
  const [isDry, setDry] = useState(false);
  const name = useMemo(() => {
    const names = namesOf(view);
    return (id: string) => visible(names.get(id) ?? id);
  }, [view]);
  const [hovered, setHovered] = useState<string | null>(null);
  const shown = ORDER.filter((o) => o !== "untrusted" || hasTaint);
  useKeys(
    {
      "ctrl+enter": () => void state.approve(),
      e: () => go({ screen: "plan", run: view.run }),
      o: () => setOverlay(shown[(shown.indexOf(overlay) + 1) % shown.length] ?? "plain"),
      s: () => setDry(!isDry),
      escape: () => select([]),
    },
    "approve",
  );
  useKeys(zoomKeys(canvas), "canvas");
  const untrusted = overlay === "untrusted" ? approval.untrusted : [];
  const { chosen: weighed } = state.choices;
  const leftOut = useMemo(() => new Set(weighed.leftOut.map((left) => left.task)), [weighed]);
  const estimates = useMemo(() => byTask(approval.estimate), [approval]);
  const tasks = useMemo(
    () => newlyMarked(draftCards(view, untrusted, estimates, leftOut), approval),
    [view, untrusted, estimates, leftOut, approval],
  );
  const waveNote = useCallback((ids: readonly string[]) => slowest(estimates, ids), [estimates]);
  const edges = useMemo(() => draftEdges(view, untrusted), [view, untrusted]);
  const path = useMemo(() => new Set(approval.estimate?.critical ?? approval.longestPath), [approval]);
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
      {isDry ? (
        <Schedule
          approval={approval}
          parameters={print(objectOf(state.value))}
          name={name}
          onHover={setHovered}
          onBack={() => setDry(false)}
        />
      ) : null}
      {isDry ? null : (
        <PlanCanvas
          label={t.canvas.plan(view.tasks.length, view.problems.length)}
          tasks={tasks}
          edges={edges}
          selection={selection}
          onSelect={(next) => select(next.tasks)}
          onHover={setHovered}
          lit={lit ?? (overlay === "path" ? path : null)}
          waveNote={waveNote}
          handle={canvas}
          memory={`approve ${view.run}`}
        >
          <div className="tool-group left overlays">
            <OverlayChoice overlay={overlay} shown={shown} onChange={setOverlay} />
          </div>
          <ToolGroup place="right" label={t.canvas.view}>
            <Button
              hint={printKeys("s")}
              icon={<ChartGantt className="icon" size={14} strokeWidth={1.75} />}
              onClick={() => setDry(true)}
              data-testid="view-schedule"
            >
              {t.schedule.open}
            </Button>
            <span className="bar" />
            <ZoomTools canvas={canvas} />
          </ToolGroup>
          {overlay === "untrusted" ? <Legend /> : <Facts view={view} approval={approval} />}
        </PlanCanvas>
      )}
    </Workbench>
  );
}

/** Tasks that were not there when the plan was approved last, where nothing else is said of them. */
function newlyMarked(cards: CanvasTask[], approval: ApprovalView): CanvasTask[] {
  const fresh = new Set(approval.sinceLast?.tasks);
  if (fresh.size === 0) return cards;
  const mark = { text: t.approval.newTask, place: "above" } as const;
  return cards.map((card) => (fresh.has(card.id) && !card.mark ? { ...card, mark } : card));
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
    { term: t.approval.overlays.path, text: String((approval.estimate?.critical ?? approval.longestPath).length) },
    ...estimateFacts(approval.estimate),
  ];
  return <TitleBlock facts={facts} />;
}
