// The tools over the plan's canvas and over its list: modes, undo, tidy, zoom, and the way to the approval.
import {
  Braces,
  CircleAlert,
  DraftingCompass,
  Hand,
  LayoutDashboard,
  List,
  MousePointer2,
  Redo2,
  Save,
  ShieldCheck,
  Undo2,
  Workflow,
} from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { ToolGroup, ZoomTools } from "../../components/canvas/CanvasTools";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { Button, Hint, IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { DraftView } from "../../ipc/bindings";
import { redo, settled, undo } from "../../state/draft";
import { openWish } from "../../state/proposal";
import { go } from "../../state/route";
import { t } from "../../text";
import { tidy } from "./arranging";
import { stepProblem } from "./Problems";
import { askSave } from "./saveStore";
import type { Mode } from "./useModes";

const S = 16;
const W = 1.75;

type Props = {
  view: DraftView;
  canvas: RefObject<CanvasHandle | null>;
  isHand: boolean;
  onHand: (on: boolean) => void;
  onMode: (mode: Mode) => void;
  children: ReactNode;
};

export function PlanTools({ view, canvas, isHand, onHand, onMode, children }: Props) {
  return (
    <>
      {view.isDraft ? (
        <ToolGroup place="left" label={t.canvas.tools}>
          {children}
          <IconButton
            label={t.plan.select}
            hint={printKeys("v")}
            aria-pressed={!isHand}
            icon={<MousePointer2 size={S} strokeWidth={W} />}
            onClick={() => onHand(false)}
            data-testid="tool-select"
          />
          <IconButton
            label={t.plan.hand}
            hint={printKeys("h")}
            aria-pressed={isHand}
            icon={<Hand size={S} strokeWidth={W} />}
            onClick={() => onHand(true)}
            data-testid="tool-hand"
          />
          <span className="bar" />
          <History view={view} />
          <span className="bar" />
          <Hint text={t.plan.tidyNote} keys={printKeys("shift+t")}>
            <Button
              icon={<LayoutDashboard className="icon" size={15} strokeWidth={W} />}
              aria-label={t.plan.tidy}
              onClick={() => void tidy(canvas.current)}
              data-testid="tidy"
            >
              <span className="narrow-hide">{t.plan.tidy}</span>
            </Button>
          </Hint>
          <IconButton
            label={t.proposal.entry}
            hint={printKeys("shift+c")}
            icon={<DraftingCompass size={15} strokeWidth={W} />}
            onClick={openWish}
            data-testid="wish-open"
          />
          <IconButton
            label={t.plan.saveEntry}
            hint={printKeys("ctrl+s")}
            icon={<Save size={15} strokeWidth={W} />}
            onClick={() => void askSave()}
            data-testid="save-entry"
          />
        </ToolGroup>
      ) : null}
      <div className="canvas-side">
        <ToolGroup place="right" label={t.canvas.view}>
          <Hint text={t.plan.list} keys={printKeys("l")}>
            <Button
              icon={<List className="icon" size={15} strokeWidth={W} />}
              aria-label={t.plan.list}
              onClick={() => onMode("list")}
              data-testid="list-toggle"
            >
              <span className="narrow-hide">{t.plan.list}</span>
            </Button>
          </Hint>
          <Hint text={t.plan.json} keys={printKeys("shift+j")}>
            <Button
              icon={<Braces className="icon" size={15} strokeWidth={W} />}
              aria-label={t.plan.json}
              onClick={() => onMode("json")}
              data-testid="json-toggle"
            />
          </Hint>
          <span className="bar" />
          <ZoomTools canvas={canvas} />
        </ToolGroup>
        {view.isDraft ? <ToApprove view={view} /> : null}
      </div>
    </>
  );
}

function History({ view }: { view: DraftView }) {
  return (
    <>
      <IconButton
        label={t.plan.undo(view.undoLabel)}
        hint={printKeys("ctrl+z")}
        disabled={!view.canUndo}
        icon={<Undo2 size={S} strokeWidth={W} />}
        onClick={() => void undo()}
        data-testid="undo"
      />
      <IconButton
        label={t.plan.redo(view.redoLabel)}
        hint={printKeys("ctrl+shift+z")}
        disabled={!view.canRedo}
        icon={<Redo2 size={S} strokeWidth={W} />}
        onClick={() => void redo()}
        data-testid="redo"
      />
    </>
  );
}

export function ToApprove({ view }: { view: DraftView }) {
  const errors = view.problems.filter((p) => p.severity === "error").length;
  if (errors > 0) {
    return (
      <button type="button" className="btn large dashed" onClick={() => stepProblem(view, 1)} data-testid="to-fix">
        <CircleAlert className="icon tone-failed" size={15} strokeWidth={W} aria-hidden="true" />
        <span className="wide-only">{t.plan.toFix(errors)}</span>
        <span className="narrow-only">{t.plan.toFixShort(errors)}</span>
      </button>
    );
  }
  const onClick = async () => {
    await settled();
    go({ screen: "approve", run: view.run });
  };
  return (
    <Button
      look="primary"
      size="large"
      icon={<ShieldCheck className="icon" size={15} strokeWidth={W} />}
      onClick={() => void onClick()}
      data-testid="to-approve"
    >
      {t.plan.toApprove}
    </Button>
  );
}

type ListToolsProps = { view: DraftView; mode: Mode; onMode: (mode: Mode) => void };

/** Over the list and over the JSON: the way back to the canvas, and on to the approval. */
export function ListTools({ view, mode, onMode }: ListToolsProps) {
  const modes = [
    { id: "canvas", label: t.plan.canvas, Icon: Workflow },
    { id: "list", label: t.plan.list, Icon: List },
    { id: "json", label: t.plan.json, Icon: Braces },
  ] as const;
  return (
    <div className="list-tools">
      <div className="seg" role="group" aria-label={t.canvas.view}>
        {modes.map(({ id, label, Icon }) => (
          <button
            key={id}
            type="button"
            aria-pressed={mode === id}
            onClick={() => onMode(id)}
            data-testid={`${id}-toggle`}
          >
            <Icon size={14} strokeWidth={W} aria-hidden="true" />
            {label}
          </button>
        ))}
      </div>
      <span className="sm t3 grow el list-note">{mode === "list" ? t.plan.listNote : t.plan.jsonNote}</span>
      {view.isDraft ? <History view={view} /> : null}
      {view.isDraft ? <ToApprove view={view} /> : null}
    </div>
  );
}
