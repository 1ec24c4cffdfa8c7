// A new plan that a replanner proposes: what failed, the difference on the canvas, piece by piece at the right, and the answer.
// Also every replan before it, with what became of it.
import { Workflow } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { zoomKeys } from "../../components/canvas/viewport";
import { Button } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { Empty, FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { ReplanView } from "../../ipc/bindings";
import type { Side } from "../../state/diffCards";
import { usePanel } from "../../state/panels";
import { accept, beginEdit, mayAccept, readReplan, reject, togglePiece, useReplan } from "../../state/replan";
import { go } from "../../state/route";
import { useRun, watch } from "../../state/run";
import { t } from "../../text";
import { ReplanBar } from "./ReplanBar";
import { ReplanCanvas } from "./ReplanCanvas";
import { ReplanPanel } from "./ReplanPanel";
import { stepPiece } from "./steps";

export function ReplanScreen({ run, attempt }: { run: string; attempt: number | null }) {
  useEffect(() => watch(run), [run]);
  // What it is made of changes with the plan, the decisions and the state of the run, and with nothing else.
  const moment = useRun((s) => `${s.digest} ${s.row?.status} ${s.decisions.map((d) => d.id).join()}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `moment` says when to read again
  useEffect(() => void readReplan(run, attempt), [run, attempt, moment]);
  const view = useReplan((s) => (s.run === run ? s.view : null));
  const list = useReplan((s) => (s.run === run ? s.list : null));
  const fault = useReplan((s) => (s.run === run ? s.fault : null));
  if (view) return <Replan run={run} view={view} />;
  if (fault)
    return (
      <FaultPanel title={t.replan.faultTitle} message={fault.message} onRetry={() => void readReplan(run, attempt)} />
    );
  if (list && list.attempts.length === 0)
    return (
      <Empty
        icon={<Workflow size={28} strokeWidth={1.5} />}
        title={t.replan.none}
        actions={<Button onClick={() => go({ screen: "run", run })}>{t.replan.toRun}</Button>}
      >
        {t.replan.noneNote}
      </Empty>
    );
  return <Skeleton rows={8} />;
}

function Replan({ run, view }: { run: string; view: ReplanView }) {
  const panel = usePanel("replan.right");
  const canvas = useRef<CanvasHandle>(null);
  const [side, setSide] = useState<Side>("changes");
  const isOpen = view.row.fate === "waiting";
  const leave = async (isDone: Promise<boolean>) => {
    if (await isDone) go({ screen: "run", run });
  };
  const act = (does: () => void) => () => {
    if (!isOpen) return false;
    does();
    return true;
  };
  useKeys(
    {
      "[": () => stepPiece(-1),
      "]": () => stepPiece(1),
      x: act(() => {
        const { chosen } = useReplan.getState();
        if (chosen && !useReplan.getState().isEditing) togglePiece(chosen);
      }),
      "ctrl+enter": act(() => {
        if (mayAccept(useReplan.getState())) void leave(accept());
      }),
      e: act(beginEdit),
      "shift+r": act(() => void leave(reject())),
      "/": act(() => document.querySelector<HTMLElement>('[data-testid="replan-note"]')?.focus()),
      "ctrl+i": () => panel.toggle(),
    },
    "replan",
  );
  useKeys(zoomKeys(canvas), "canvas");
  return (
    <div className="run replan" data-testid="replan" data-fate={view.row.fate}>
      <ReplanBar run={run} view={view} />
      <Workbench
        right={{
          ...panel,
          label: t.replan.proposed,
          resizeLabel: t.shell.rightPanel,
          node: <ReplanPanel run={run} view={view} onDone={leave} />,
        }}
      >
        <ReplanCanvas view={view} canvas={canvas} side={side} onSide={setSide} />
      </Workbench>
    </div>
  );
}
