// The plan editor: palette and problems at the left, canvas (or list) in the middle, inspector at the right.
import { Plus } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { TitleBlock } from "../../components/canvas/CanvasTools";
import type { Point } from "../../components/canvas/model";
import { type Editing, edgeUnder, PlanCanvas } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { Button } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DraftView } from "../../ipc/bindings";
import { draftCards, draftEdges } from "../../state/cards";
import { edit, openDraft, useDraft } from "../../state/draft";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { select, useSelection } from "../../state/selection";
import { readTools } from "../../state/tools";
import { t } from "../../text";
import { AddMenu } from "./AddMenu";
import { ConnectDialog } from "./ConnectDialog";
import { addTask, verdicts } from "./commands";
import { EmptyCanvas } from "./EmptyCanvas";
import { Inspector } from "./inspector/Inspector";
import { ListView } from "./ListView";
import { Palette } from "./Palette";
import { ListTools, PlanTools } from "./PlanTools";
import { planKeys } from "./planKeys";
import { ReadOnly } from "./ReadOnly";
import { useClipboard } from "./useClipboard";
import { usePaletteDrag } from "./usePaletteDrag";

export function PlanScreen({ run }: { run: string }) {
  const view = useDraft((s) => (s.run === run ? s.view : null));
  const fault = useDraft((s) => (s.run === run ? s.fault : null));
  useEffect(() => {
    void openDraft(run);
    void readTools();
  }, [run]);
  if (view) return <Editor view={view} />;
  if (fault) {
    return (
      <FaultPanel title={t.plan.faultTitle} message={fault.message} onRetry={() => void openDraft(run)}>
        <Button onClick={() => go({ screen: "home" })}>{t.shell.backHome}</Button>
      </FaultPanel>
    );
  }
  return <Skeleton rows={8} />;
}

type Adding = { from: string; world: Point; client: Point };

function Editor({ view }: { view: DraftView }) {
  const canvas = useRef<CanvasHandle>(null);
  const find = useRef<HTMLInputElement>(null);
  const [isList, setList] = useState(false);
  const [isHand, setHand] = useState(false);
  const [isFolded, setFolded] = useState(false);
  const [isLeftShown, setLeftShown] = useState(false);
  const [adding, setAdding] = useState<Adding | null>(null);
  const left = usePanel("plan.left");
  const right = usePanel("plan.right");
  const tasks = useMemo(() => draftCards(view), [view]);
  const edges = useMemo(() => draftEdges(view), [view]);
  const isEditable = view.isDraft;

  const addBelow = useCallback(
    (task: string) => void addTask(task, { after: useSelection.getState().tasks.slice(-1) }),
    [],
  );
  const drop = useCallback(
    (dragged: { task: string }, client: Point) => {
      const target = document.elementFromPoint(client.x, client.y);
      if (!target?.closest('[data-testid="canvas"]') || !canvas.current) return;
      const at = canvas.current.toWorld(client);
      const split = edgeUnder(client, edges);
      setLeftShown(false);
      void addTask(dragged.task, split ? { after: [split.from], before: [split.to], at: null } : { at });
    },
    [edges],
  );
  const drag = usePaletteDrag(drop, (dragged) => addBelow(dragged.task));
  const editing = useEditing(view.run, isEditable, setAdding);
  const inspect = useCallback(() => {
    if (!right.isOpen) right.toggle();
    window.setTimeout(() => document.querySelector<HTMLElement>('[data-testid="field-title"]')?.focus(), 0);
  }, [right]);
  const state = {
    view,
    canvas,
    find,
    isList,
    setList,
    setHand,
    left,
    right,
    addBelow,
    inspect,
    tasks,
    showLeft: () => setLeftShown(true),
    isFolded,
  };
  useKeys(planKeys(state));
  useClipboard(isEditable);

  const isLeftOpen = isEditable && (isFolded ? isLeftShown : left.isOpen);
  return (
    <>
      <Workbench
        onFold={setFolded}
        left={
          isEditable
            ? {
                ...left,
                isOpen: isLeftOpen,
                label: t.plan.add,
                resizeLabel: t.shell.leftPanel,
                node: <Palette view={view} find={find} onAdd={addBelow} onDrag={drag.start} />,
              }
            : undefined
        }
        right={{ ...right, label: t.inspector.label, resizeLabel: t.shell.rightPanel, node: <Inspector view={view} /> }}
      >
        {isEditable ? null : <ReadOnly run={view.run} />}
        {isList ? (
          <>
            <ListTools view={view} onCanvas={() => setList(false)} />
            <ListView view={view} onOpen={inspect} />
          </>
        ) : (
          <Canvas
            view={view}
            tasks={tasks}
            edges={edges}
            editing={editing}
            isHand={isHand}
            canvas={canvas}
            onOpen={inspect}
            onPane={() => setLeftShown(false)}
          >
            <PlanTools view={view} canvas={canvas} isHand={isHand} onHand={setHand} onList={() => setList(true)}>
              {isEditable && !isLeftOpen ? (
                <AddButton onClick={() => (isFolded ? setLeftShown(true) : left.toggle())} />
              ) : null}
            </PlanTools>
          </Canvas>
        )}
      </Workbench>
      {drag.ghost}
      {adding ? (
        <AddMenu
          at={adding.client}
          onClose={() => setAdding(null)}
          onAdd={(task) => (setAdding(null), void addTask(task, { after: [adding.from], at: adding.world }))}
        />
      ) : null}
      <ConnectDialog view={view} />
    </>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Button icon={<Plus className="icon" size={15} />} onClick={onClick} data-testid="show-palette">
      {t.plan.add}
    </Button>
  );
}

type CanvasProps = {
  view: DraftView;
  tasks: ReturnType<typeof draftCards>;
  edges: ReturnType<typeof draftEdges>;
  editing: Editing | null;
  isHand: boolean;
  canvas: React.RefObject<CanvasHandle | null>;
  onOpen: () => void;
  onPane: () => void;
  children: React.ReactNode;
};

function Canvas({ view, tasks, edges, editing, isHand, canvas, onOpen, onPane, children }: CanvasProps) {
  const chosen = useSelection((s) => s.tasks);
  const edge = useSelection((s) => s.edge);
  const selection = useMemo(() => ({ tasks: chosen, edge }), [chosen, edge]);
  const waves = Math.max(0, ...view.tasks.map((task) => task.wave ?? 0));
  const touches = view.tasks.reduce((sum, task) => sum + task.needs.length, 0);
  const facts = [
    { term: t.plan.facts.revision, text: String(view.revision) },
    { term: t.plan.facts.tasks, text: String(view.tasks.length) },
    ...(waves > 0 ? [{ term: t.plan.facts.waves, text: String(waves) }] : []),
    { term: t.plan.facts.touches, text: String(touches) },
  ];
  const active = chosen.length === 1 ? chosen[0] : undefined;
  useEffect(() => {
    if (active) requestAnimationFrame(() => canvas.current?.reveal(active));
  }, [active, canvas]);
  const onSelect = (next: { tasks: readonly string[]; edge: string | null }) => {
    if (next.tasks.length === 0 && next.edge === null) onPane();
    select(next.tasks, next.edge);
  };
  return (
    <PlanCanvas
      label={t.canvas.plan(view.tasks.length, view.problems.length)}
      tasks={tasks}
      edges={edges}
      selection={selection}
      onSelect={onSelect}
      onOpen={onOpen}
      editing={editing}
      hand={isHand}
      handle={canvas}
    >
      {children}
      <TitleBlock facts={facts} />
      {view.tasks.length === 0 ? <EmptyCanvas /> : null}
    </PlanCanvas>
  );
}

function useEditing(run: string, isEditable: boolean, onEmpty: (adding: Adding) => void): Editing | null {
  return useMemo(
    () =>
      isEditable
        ? {
            onMove: (positions) => void edit([{ move: { positions } }]),
            onConnect: (from, to) => void edit([{ connect: { from, to } }]),
            onReconnect: (from, to, newTo) => void edit([{ reconnect: { from, to, newFrom: from, newTo } }]),
            onDisconnect: (from, to) => void edit([{ disconnect: { from, to } }]),
            verdicts: (from) => verdicts(run, from),
            onConnectToEmpty: (from, world, client) => onEmpty({ from, world, client }),
          }
        : null,
    [run, isEditable, onEmpty],
  );
}
