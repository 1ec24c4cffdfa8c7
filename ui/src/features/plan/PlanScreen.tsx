// The plan editor: palette and problems at the left, canvas (or list) in the middle, inspector at the right.
import { Plus } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { TitleBlock } from "../../components/canvas/CanvasTools";
import { PlanCanvas } from "../../components/canvas/PlanCanvas";
import { Button } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DraftView, EstimateView } from "../../ipc/bindings";
import { openDraft, useDraft } from "../../state/draft";
import { estimateFacts } from "../../state/estimateTexts";
import { forgetLast } from "../../state/laid";
import { go } from "../../state/route";
import { select, useSelection } from "../../state/selection";
import { readTools } from "../../state/tools";
import { closeComparison, useVersions } from "../../state/versions";
import { t } from "../../text";
import { ActMenu } from "./ActMenu";
import { AddMenu } from "./AddMenu";
import { ComparedList } from "./ComparedList";
import { ConnectDialog } from "./ConnectDialog";
import { addTask } from "./commands";
import { EmptyCanvas } from "./EmptyCanvas";
import { FindPanel } from "./find/FindPanel";
import { Inspector } from "./inspector/Inspector";
import { JsonView } from "./json/JsonView";
import { LeftPanel } from "./LeftPanel";
import { ListView } from "./ListView";
import { isTaskKey } from "./listKeys";
import { MapPicker } from "./MapPicker";
import { ListTools, PlanTools } from "./PlanTools";
import { ReadOnly } from "./ReadOnly";
import { SaveRevision } from "./SaveRevision";
import { SelectionBar } from "./SelectionBar";
import { TryDialog } from "./TryDialog";
import { useEditor } from "./useEditor";
import { useMode } from "./useModes";
import { Comparison } from "./versions/Comparison";
import { DiffPanel } from "./versions/DiffPanel";

/** What the app puts into the editor: around the inspector, and over the plan. */
export type Joined = {
  side?: (run: string, inspector: ReactNode) => ReactNode;
  over?: (view: DraftView) => ReactNode;
};

export function PlanScreen({ run, joined = {} }: { run: string; joined?: Joined }) {
  const view = useDraft((s) => (s.run === run ? s.view : null));
  const fault = useDraft((s) => (s.run === run ? s.fault : null));
  useEffect(() => {
    forgetLast();
    void openDraft(run);
    void readTools();
  }, [run]);
  if (view) return <Editor view={view} joined={joined} />;
  if (fault) {
    return (
      <FaultPanel title={t.plan.faultTitle} message={fault.message} onRetry={() => void openDraft(run)}>
        <Button onClick={() => go({ screen: "home" })}>{t.shell.backHome}</Button>
      </FaultPanel>
    );
  }
  return <Skeleton rows={8} />;
}

function Editor({ view, joined }: { view: DraftView; joined: Joined }) {
  const [mode, setMode] = useMode(view.run);
  const [isHand, setHand] = useState(false);
  const compared = useVersions((s) => (s.run === view.run ? s.compared : null));
  useEffect(() => closeComparison, []);
  // What is compared is looked at: nothing of the plan is changed by a key or a drag meanwhile.
  const shown = useMemo(() => (compared ? { ...view, isDraft: false } : view), [view, compared]);
  const editor = useEditor(shown, { mode, setMode, setHand });
  const { canvas, find, left, right, drag, isEditable, isFolded } = editor;
  // In a narrow window the list lies over the picture; it makes way for what was asked for.
  const { hideLeft } = editor;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when something is compared
  useEffect(hideLeft, [compared !== null]);
  const inspector = <Inspector view={view} />;
  const isLeftOpen = isFolded ? editor.isLeftShown : left.isOpen;
  return (
    <>
      <Workbench
        onFold={editor.setFolded}
        left={{
          ...left,
          isOpen: isLeftOpen,
          label: t.versions.leftTabs,
          resizeLabel: t.shell.leftPanel,
          node: (
            <LeftPanel
              view={view}
              isLocked={!view.isDraft}
              find={find}
              onAdd={editor.addBelow}
              onDrag={drag.start}
              onClose={isFolded ? hideLeft : null}
            />
          ),
        }}
        right={{
          ...right,
          label: compared ? t.versions.comparison : t.inspector.label,
          resizeLabel: t.shell.rightPanel,
          node: compared ? (
            <DiffPanel view={view} compared={compared} />
          ) : joined.side ? (
            joined.side(view.run, inspector)
          ) : (
            inspector
          ),
        }}
      >
        {view.isDraft ? null : <ReadOnly run={view.run} />}
        {compared && mode === "list" ? (
          <ComparedList
            compared={compared}
            mayGoBack={view.isDraft}
            onCanvas={() => editor.setMode("canvas")}
            onOpen={editor.inspect}
          />
        ) : compared ? (
          <Comparison
            compared={compared}
            mayGoBack={view.isDraft}
            canvas={canvas}
            onList={() => editor.setMode("list")}
            onShowList={isLeftOpen ? null : isFolded ? editor.showLeft : left.toggle}
          />
        ) : mode === "canvas" ? (
          <Canvas view={view} editor={editor} isHand={isHand}>
            <PlanTools view={view} canvas={canvas} isHand={isHand} onHand={setHand} onMode={setMode}>
              {isEditable && !isLeftOpen ? (
                <AddButton onClick={() => (isFolded ? editor.showLeft() : left.toggle())} />
              ) : null}
            </PlanTools>
          </Canvas>
        ) : (
          <>
            <ListTools view={view} mode={mode} onMode={setMode} />
            {mode === "list" ? (
              <ListView changed={editor.changed} estimates={editor.estimates} onOpen={editor.inspect} />
            ) : (
              <JsonView view={view} />
            )}
          </>
        )}
        <FindPanel view={view} />
        {joined.over?.(view)}
      </Workbench>
      {drag.ghost}
      <Asked view={view} editor={editor} />
    </>
  );
}

/** What opens over the editor when it is asked for. */
function Asked({ view, editor }: { view: DraftView; editor: ReturnType<typeof useEditor> }) {
  const { adding } = editor;
  const insert = (from: string, to: string) =>
    editor.setAdding({ after: [from], before: [to], world: null, client: middleOfWindow() });
  return (
    <>
      {adding ? (
        <AddMenu
          at={adding.client}
          onClose={() => editor.setAdding(null)}
          onAdd={(task) => {
            editor.setAdding(null);
            void addTask(task, { after: adding.after, before: adding.before, at: adding.world });
          }}
        />
      ) : null}
      <ActMenu context={editor.acts} />
      <MapPicker view={view} />
      <ConnectDialog view={view} onInsert={insert} />
      <TryDialog view={view} />
      <SaveRevision />
    </>
  );
}

function middleOfWindow() {
  return { x: window.innerWidth / 2 - 130, y: window.innerHeight / 3 };
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Button
      icon={<Plus className="icon" size={15} />}
      aria-label={t.plan.add}
      onClick={onClick}
      data-testid="show-palette"
    >
      <span className="tiny-hide">{t.plan.add}</span>
    </Button>
  );
}

type CanvasProps = {
  view: DraftView;
  editor: ReturnType<typeof useEditor>;
  isHand: boolean;
  children: React.ReactNode;
};

function Canvas({ view, editor, isHand, children }: CanvasProps) {
  const { canvas } = editor;
  const chosen = useSelection((s) => s.tasks);
  const edge = useSelection((s) => s.edge);
  const selection = useMemo(() => ({ tasks: chosen, edge }), [chosen, edge]);
  const shown = useSelection((s) => s.shown);
  const active = chosen.length === 1 ? chosen[0] : undefined;
  useEffect(() => {
    if (active) requestAnimationFrame(() => canvas.current?.reveal([active]));
  }, [active, canvas]);
  useEffect(() => {
    if (shown > 0) requestAnimationFrame(() => canvas.current?.reveal(useSelection.getState().tasks));
  }, [shown, canvas]);
  const onSelect = (next: { tasks: readonly string[]; edge: string | null }) => {
    if (next.tasks.length === 0 && next.edge === null) editor.hideLeft();
    select(next.tasks, next.edge);
  };
  return (
    <PlanCanvas
      label={t.canvas.plan(view.tasks.length, view.problems.length)}
      tasks={editor.tasks}
      edges={editor.edges}
      notes={editor.notes}
      selection={selection}
      onSelect={onSelect}
      onOpen={editor.inspect}
      isTaskKey={isTaskKey}
      editing={editor.editing}
      hand={isHand}
      hasMap={editor.hasMap}
      near={editor.near}
      waveNote={editor.waveNote}
      handle={canvas}
      memory={`plan ${view.run}`}
    >
      {children}
      {editor.isEditable && chosen.length > 1 ? (
        <SelectionBar />
      ) : (
        <TitleBlock facts={factsOf(view, editor.estimate)} />
      )}
      {view.tasks.length === 0 ? <EmptyCanvas /> : null}
    </PlanCanvas>
  );
}

function factsOf(view: DraftView, estimate: EstimateView | null): { term: string; text: string }[] {
  const waves = view.tasks.reduce((most, task) => Math.max(most, task.wave ?? 0), 0);
  const touches = view.tasks.reduce((sum, task) => sum + task.needs.length, 0);
  return [
    { term: t.plan.facts.revision, text: String(view.revision) },
    { term: t.plan.facts.tasks, text: String(view.tasks.length) },
    ...(waves > 0 ? [{ term: t.plan.facts.waves, text: String(waves) }] : []),
    { term: t.plan.facts.touches, text: String(touches) },
    ...estimateFacts(estimate),
  ];
}
