// Before anything runs: the plan on the canvas with what flows where, and at the right what it may touch. Signing starts it.

import { ChartGantt, Eye, KeyRound, type LucideIcon, Route as RouteIcon, ShieldAlert } from "lucide-react";
import { type RefObject, useCallback, useMemo, useRef, useState } from "react";
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
import { grantCards, grantFacts, type Overlay, overlaysOf, touching, whyOut } from "./overlays";
import { Schedule } from "./schedule/Schedule";
import { useApproval } from "./useApproval";

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
  const shown = overlaysOf(approval.untrusted.length > 0);
  const [overlay, setOverlay] = useState<Overlay>(shown.includes("untrusted") ? "untrusted" : "plain");
  const [isDry, setDry] = useState(false);
  const [hovered, setHovered] = useState<string | null>(null);
  const name = useMemo(() => {
    const names = namesOf(view);
    return (id: string) => visible(names.get(id) ?? id);
  }, [view]);
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
  const chosen = useSelection((s) => s.tasks);
  const selection = useMemo(() => ({ tasks: chosen, edge: null }), [chosen]);
  const drawn = useDrawn(view, approval, state, overlay, name);
  const right = {
    ...panel,
    isOpen: true,
    label: t.approval.title,
    resizeLabel: t.shell.rightPanel,
    node: (
      <ApprovalPanel
        view={view}
        approval={approval}
        state={state}
        focused={hovered ?? chosen[0] ?? null}
        follows={overlay === "grants" || hovered === null}
        onLight={setLit}
      />
    ),
  };
  if (isDry) {
    return (
      <Workbench right={right}>
        <Schedule
          approval={approval}
          parameters={print(objectOf(state.value))}
          off={state.choices.choices.off}
          name={name}
          onHover={setHovered}
          onBack={() => setDry(false)}
        />
      </Workbench>
    );
  }
  return (
    <Workbench right={right}>
      <PlanCanvas
        label={t.canvas.plan(view.tasks.length, view.problems.length)}
        tasks={drawn.tasks}
        edges={drawn.edges}
        selection={selection}
        onSelect={(next) => select(next.tasks)}
        onHover={setHovered}
        lit={lit ?? drawn.lit}
        waveNote={drawn.waveNote}
        handle={canvas}
        memory={`approve ${view.run}`}
      >
        <div className="tool-group left overlays">
          <OverlayChoice overlay={overlay} shown={shown} onChange={setOverlay} />
        </div>
        <Tools canvas={canvas} onDry={() => setDry(true)} />
        {overlay === "untrusted" ? <Legend /> : <TitleBlock facts={drawn.facts} />}
      </PlanCanvas>
    </Workbench>
  );
}

/** What the canvas shows of the plan under an overlay, with what is switched off. */
function useDrawn(
  view: DraftView,
  approval: ApprovalView,
  state: Props["state"],
  overlay: Overlay,
  name: (id: string) => string,
) {
  const { chosen: weighed, isOff } = state.choices;
  const left = state.left ?? approval;
  const { ways } = state.choices;
  const untrusted = useMemo(() => (overlay === "untrusted" ? ways : []), [overlay, ways]);
  const leftOut = useMemo(() => whyOut(weighed.leftOut, name), [weighed, name]);
  const estimates = useMemo(() => byTask(left.estimate), [left]);
  const tasks = useMemo(() => {
    const cards = newlyMarked(draftCards(view, untrusted, estimates, leftOut), approval);
    return overlay === "grants" ? grantCards(cards, approval, isOff, weighed.leftOut) : cards;
  }, [view, untrusted, estimates, leftOut, approval, overlay, isOff, weighed]);
  const waveNote = useCallback((ids: readonly string[]) => slowest(estimates, ids), [estimates]);
  const edges = useMemo(() => draftEdges(view, untrusted), [view, untrusted]);
  const lit = useMemo(() => {
    if (overlay === "path") return new Set(left.estimate?.critical ?? left.longestPath);
    return overlay === "grants" ? touching(approval.needs, isOff, weighed.leftOut) : null;
  }, [overlay, left, approval, isOff, weighed]);
  const facts =
    overlay === "grants" ? grantFacts(approval.needs, isOff, weighed.leftOut) : factsOf(view.revision, left);
  return { tasks, edges, lit, waveNote, facts };
}

function Tools({ canvas, onDry }: { canvas: RefObject<CanvasHandle | null>; onDry: () => void }) {
  return (
    <ToolGroup place="right" label={t.canvas.view}>
      <Button
        hint={printKeys("s")}
        icon={<ChartGantt className="icon" size={14} strokeWidth={1.75} />}
        onClick={onDry}
        data-testid="view-schedule"
      >
        {t.schedule.open}
      </Button>
      <span className="bar" />
      <ZoomTools canvas={canvas} />
    </ToolGroup>
  );
}

/** Tasks that were not there when the plan was approved last, where nothing else is said of them. */
function newlyMarked(cards: CanvasTask[], approval: ApprovalView): CanvasTask[] {
  const fresh = new Set(approval.sinceLast?.tasks);
  if (fresh.size === 0) return cards;
  const mark = { text: t.approval.newTask, place: "above" } as const;
  return cards.map((card) => (fresh.has(card.id) && !card.mark ? { ...card, mark } : card));
}

const ICONS: Record<Overlay, LucideIcon> = { plain: Eye, untrusted: ShieldAlert, path: RouteIcon, grants: KeyRound };

type OverlayProps = { overlay: Overlay; shown: readonly Overlay[]; onChange: (o: Overlay) => void };

function OverlayChoice({ overlay, shown, onChange }: OverlayProps) {
  const choice = (value: Overlay) => {
    const Icon = ICONS[value];
    return { value, label: t.approval.overlays[value], icon: <Icon size={13} strokeWidth={1.75} /> };
  };
  return (
    <Segments
      label={t.approval.overlayLabel}
      value={overlay}
      onChange={onChange}
      testId="overlay"
      choices={shown.map(choice)}
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

function factsOf(revision: number, approval: ApprovalView) {
  return [
    { term: t.plan.facts.revision, text: String(revision) },
    { term: t.plan.facts.tasks, text: String(approval.tasks) },
    { term: t.approval.overlays.path, text: String((approval.estimate?.critical ?? approval.longestPath).length) },
    ...estimateFacts(approval.estimate),
  ];
}
