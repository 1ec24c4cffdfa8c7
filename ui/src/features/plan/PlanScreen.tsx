// The plan editor: palette and problems at the left, canvas (or list) in the middle, inspector at the right.
import { Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { TitleBlock } from "../../components/canvas/CanvasTools";
import { type Editing, PlanCanvas } from "../../components/canvas/PlanCanvas";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { Button } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DraftView } from "../../ipc/bindings";
import type { draftCards, draftEdges } from "../../state/cards";
import { openDraft, useDraft } from "../../state/draft";
import { go } from "../../state/route";
import { select, useSelection } from "../../state/selection";
import { readTools } from "../../state/tools";
import { t } from "../../text";
import { AddMenu } from "./AddMenu";
import { ConnectDialog } from "./ConnectDialog";
import { addTask } from "./commands";
import { EmptyCanvas } from "./EmptyCanvas";
import { Inspector } from "./inspector/Inspector";
import { ListView } from "./ListView";
import { Palette } from "./Palette";
import { ListTools, PlanTools } from "./PlanTools";
import { ReadOnly } from "./ReadOnly";
import { useEditor } from "./useEditor";

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

function Editor({ view }: { view: DraftView }) {
  const [isList, setList] = useState(false);
  const [isHand, setHand] = useState(false);
  const editor = useEditor(view, { isList, setList, setHand });
  const { canvas, find, left, right, tasks, edges, drag, editing, adding, isEditable, isFolded } = editor;
  const isLeftOpen = isEditable && (isFolded ? editor.isLeftShown : left.isOpen);
  return (
    <>
      <Workbench
        onFold={editor.setFolded}
        left={
          isEditable
            ? {
                ...left,
                isOpen: isLeftOpen,
                label: t.plan.add,
                resizeLabel: t.shell.leftPanel,
                node: <Palette view={view} find={find} onAdd={editor.addBelow} onDrag={drag.start} />,
              }
            : undefined
        }
        right={{ ...right, label: t.inspector.label, resizeLabel: t.shell.rightPanel, node: <Inspector view={view} /> }}
      >
        {isEditable ? null : <ReadOnly run={view.run} />}
        {isList ? (
          <>
            <ListTools view={view} onCanvas={() => setList(false)} />
            <ListView view={view} onOpen={editor.inspect} />
          </>
        ) : (
          <Canvas
            view={view}
            tasks={tasks}
            edges={edges}
            editing={editing}
            isHand={isHand}
            canvas={canvas}
            onOpen={editor.inspect}
            onPane={editor.hideLeft}
          >
            <PlanTools view={view} canvas={canvas} isHand={isHand} onHand={setHand} onList={() => setList(true)}>
              {isEditable && !isLeftOpen ? (
                <AddButton onClick={() => (isFolded ? editor.showLeft() : left.toggle())} />
              ) : null}
            </PlanTools>
          </Canvas>
        )}
      </Workbench>
      {drag.ghost}
      {adding ? (
        <AddMenu
          at={adding.client}
          onClose={() => editor.setAdding(null)}
          onAdd={(task) => {
            editor.setAdding(null);
            void addTask(task, { after: [adding.from], at: adding.world });
          }}
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
  const waves = view.tasks.reduce((most, task) => Math.max(most, task.wave ?? 0), 0);
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
