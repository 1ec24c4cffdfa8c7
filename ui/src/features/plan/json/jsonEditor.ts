// The editor of a whole plan document: completion by what the format has, problems at their places, and a text that
// follows the canvas without losing the cursor.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { json } from "@codemirror/lang-json";
import { codeFolding, foldGutter, foldKeymap } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorSelection } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { openEditor } from "../../../components/values/codeEditor";
import type { DraftView, Problem, ToolView } from "../../../ipc/bindings";
import { t } from "../../../text";
import { keysOf, rangeOf, type Spot, spotAt, taskAt } from "./jsonPlaces";
import { keysAt, type Suggestion, valuesAt } from "./planSchema";

export type PlanJson = {
  /** Follows the engine: only what differs is written, so that the cursor stays. */
  show(text: string, problems: readonly Problem[]): void;
  reveal(pointer: string): void;
  hasFocus(): boolean;
  destroy(): void;
};

type Setup = {
  text: string;
  readOnly: boolean;
  known: () => { view: DraftView; tools: readonly ToolView[] };
  onChange: (text: string) => void;
  onBlur: () => void;
  onTask: (position: number | null) => void;
};

export function mountPlanJson(parent: HTMLElement, setup: Setup): PlanJson {
  let quiet = false;
  const view = openEditor(parent, {
    label: t.plan.json,
    language: "json",
    text: setup.text,
    readOnly: setup.readOnly,
    onChange: (text) => quiet || setup.onChange(text),
    onBlur: setup.onBlur,
    more: [
      json(),
      codeFolding(),
      foldGutter({ openText: "⌄", closedText: "›" }),
      closeBrackets(),
      lintGutter(),
      highlightSelectionMatches(),
      search({ top: true }),
      autocompletion({ override: [(context) => complete(context, setup.known)], icons: false }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...foldKeymap, ...searchKeymap]),
      EditorView.theme({ "&": { height: "100%" }, ".cm-scroller": { maxHeight: "none" } }),
      EditorView.updateListener.of((update) => {
        if (update.selectionSet && update.view.hasFocus && !quiet)
          setup.onTask(taskAt(update.state, update.state.selection.main.head));
      }),
    ],
  });
  return {
    show(text, problems) {
      quiet = true;
      const change = differing(view.state.doc.toString(), text);
      if (change) view.dispatch({ changes: change });
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view, problems)));
      quiet = false;
    },
    reveal(pointer) {
      const range = rangeOf(view.state, pointer);
      if (!range) return;
      quiet = true;
      view.dispatch({
        selection: EditorSelection.cursor(range.from),
        effects: EditorView.scrollIntoView(range.from, { y: "start", yMargin: 48 }),
      });
      quiet = false;
    },
    hasFocus: () => view.hasFocus,
    destroy: () => view.destroy(),
  };
}

/** The one stretch in which two texts differ. */
export function differing(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

function diagnosticsOf(view: EditorView, problems: readonly Problem[]): Diagnostic[] {
  return problems.slice(0, 200).flatMap((problem) => {
    const range = rangeOf(view.state, problem.pointer);
    if (!range) return [];
    // A whole object would be underlined over many lines; its beginning is enough.
    const line = view.state.doc.lineAt(range.from);
    return [
      { from: range.from, to: Math.min(range.to, line.to), severity: problem.severity, message: problem.message },
    ];
  });
}

function complete(context: CompletionContext, known: Setup["known"]): CompletionResult | null {
  const spot = spotAt(context.state, context.pos);
  if (!spot) return null;
  const { view, tools } = known();
  const keys = spot.object ? keysOf(context.state, spot.object) : new Map();
  const word = (name: string) => {
    const node = keys.get(name);
    return node ? context.state.sliceDoc(node.from, node.to).replaceAll('"', "") : "";
  };
  const found = spot.isKey
    ? keysAt(spot.path, new Set(keys.keys()), word("task_type") || "agent", view, tools, word("tool"))
    : valuesAt(spot.path, view, tools);
  if (found.length === 0 || (!context.explicit && spot.from === spot.to)) return null;
  return { from: spot.from, to: spot.to, options: found.map((one) => optionOf(one, spot, context)), filter: true };
}

/** Inside quotes the quotes are replaced too; a new key brings its colon and an empty value to write into. */
function optionOf(one: Suggestion, spot: Spot, context: CompletionContext): Completion {
  const quoted = JSON.stringify(one.label);
  const hasColon = /^\s*:/.test(context.state.sliceDoc(spot.to, spot.to + 8));
  const text = spot.isKey && !hasColon ? `${quoted}: ${one.insert ?? '""'}` : quoted;
  return {
    label: quoted,
    displayLabel: one.label,
    detail: one.detail,
    apply: (view, _, from, to) => {
      const inner = spot.isKey && !hasColon && /["\]}]$/.test(text) ? text.length - 1 : text.length;
      view.dispatch({
        changes: { from, to, insert: text },
        selection: EditorSelection.cursor(from + inner),
        userEvent: "input.complete",
      });
    },
  };
}
