// The whole plan as JSON, beside the canvas in every way: what is typed becomes edits, what is edited elsewhere shows here,
// and the chosen task is the one that the cursor is in. CodeMirror comes in its own chunk.
import { useEffect, useMemo, useRef, useState } from "react";
import { FaultLine } from "../../../components/controls/controls";
import type { DraftView, PlanEdit } from "../../../ipc/bindings";
import { parse, print, tryParse } from "../../../ipc/json";
import { edit } from "../../../state/draft";
import { select, useSelection } from "../../../state/selection";
import { useTools } from "../../../state/tools";
import { t } from "../../../text";
import { useTyped } from "../inspector/useTyped";
import type { PlanJson } from "./jsonEditor";
import { planEdits } from "./planEdits";

export function JsonView({ view }: { view: DraftView }) {
  const text = useMemo(() => printed(view.document), [view.document]);
  const [fault, setFault] = useState<string | null>(null);
  const typed = useTyped(text, async (next) => {
    const read = readPlan(view, next);
    setFault(read.fault);
    if (read.edits.length > 0) await edit(read.edits);
  });
  const box = useRef<HTMLDivElement>(null);
  const editor = useEditorIn(box, view, { ...typed, isFaulty: fault !== null }, text);
  useChosen(editor, view);
  return (
    <div className="json-view" data-testid="json-view">
      {editor === null ? <p className="sm t3 json-wait">{t.plan.jsonLoading}</p> : null}
      <div className="json-box" ref={box} />
      {fault ? (
        <div className="json-fault">
          <FaultLine text={fault} />
        </div>
      ) : null}
    </div>
  );
}

function printed(document: string): string {
  const value = tryParse(document);
  return value === undefined ? document : print(value, 2);
}

function readPlan(view: DraftView, text: string): { edits: PlanEdit[]; fault: string | null } {
  try {
    const edits = planEdits(view, parse(text));
    return { edits: edits ?? [], fault: edits ? null : t.plan.jsonShape };
  } catch (thrown) {
    return { edits: [], fault: t.plan.jsonFault(thrown instanceof Error ? `${thrown.message}.` : "") };
  }
}

type Typing = { type: (text: string) => void; flush: () => void; isFaulty: boolean };

/** While a text is half written the engine's word waits: it would take the letters away from under the cursor. */
function useEditorIn(
  box: React.RefObject<HTMLDivElement | null>,
  view: DraftView,
  typing: Typing,
  text: string,
): PlanJson | null {
  const [editor, setEditor] = useState<PlanJson | null>(null);
  const latest = useRef({ view, typing, isTouched: false });
  latest.current = { ...latest.current, view, typing };
  const { isDraft } = view;
  // biome-ignore lint/correctness/useExhaustiveDependencies: mounted once; the text follows below
  useEffect(() => {
    let made: PlanJson | null = null;
    let gone = false;
    import("./jsonEditor").then(({ mountPlanJson }) => {
      if (gone || !box.current) return;
      made = mountPlanJson(box.current, {
        text,
        readOnly: !isDraft,
        known: () => ({ view: latest.current.view, tools: useTools.getState().tools ?? [] }),
        onChange: (next) => {
          latest.current.isTouched = true;
          latest.current.typing.type(next);
        },
        onBlur: () => {
          latest.current.typing.flush();
          latest.current.isTouched = false;
        },
        onTask: (position) => {
          const task = position === null ? undefined : latest.current.view.tasks[position];
          if (task) select([task.id]);
        },
      });
      setEditor(made);
    });
    return () => {
      gone = true;
      made?.destroy();
      setEditor(null);
    };
  }, [isDraft]);
  useEffect(() => {
    const { typing: now, isTouched } = latest.current;
    if (editor && !(now.isFaulty || (isTouched && editor.hasFocus()))) editor.show(text, view.problems);
  }, [editor, text, view.problems]);
  return editor;
}

function useChosen(editor: PlanJson | null, view: DraftView): void {
  const chosen = useSelection((s) => s.tasks[0]);
  const pointer = view.tasks.find((task) => task.id === chosen)?.pointer;
  useEffect(() => {
    if (editor && pointer !== undefined && !editor.hasFocus()) editor.reveal(pointer);
  }, [editor, pointer]);
}
