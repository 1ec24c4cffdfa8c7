// CodeMirror, set up once for this app: its look by classes, its styles under the page's nonce, its own undo while typing.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { styleNonce } from "../nonce";

export type CodeEditor = { setText(text: string): void; destroy(): void };

type Setup = {
  label: string;
  language: "javascript" | "json";
  text: string;
  readOnly: boolean;
  onChange: (text: string) => void;
  onBlur: () => void;
};

const LOOK = EditorView.theme({
  "&": { fontSize: "0.75rem", backgroundColor: "transparent", color: "var(--t1)" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5", maxHeight: "26rem" },
  ".cm-content": { caretColor: "var(--t1)", padding: "6px 0", userSelect: "text" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--t3)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--t1)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-line)",
  },
  "&:not(.cm-focused) .cm-matchingBracket": { backgroundColor: "transparent" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--hover)", outline: "none" },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp], color: "var(--completed)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--retrying)" },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: "var(--t1)" },
  { tag: tags.comment, color: "var(--t3)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.operator, tags.bracket], color: "var(--t2)" },
]);

export function mountEditor(parent: HTMLElement, setup: Setup): CodeEditor {
  let quiet = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: setup.text, extensions: extensionsOf(setup, () => quiet) }),
  });
  return {
    setText(text) {
      if (view.hasFocus || text === view.state.doc.toString()) return;
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      quiet = false;
    },
    destroy: () => view.destroy(),
  };
}

function extensionsOf(setup: Setup, isQuiet: () => boolean) {
  return [
    styleNonce ? EditorView.cspNonce.of(styleNonce) : [],
    setup.language === "json" ? json() : javascript(),
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.lineWrapping,
    EditorState.readOnly.of(setup.readOnly),
    EditorView.editable.of(!setup.readOnly),
    EditorView.contentAttributes.of({ "aria-label": setup.label, ...(setup.readOnly ? { tabindex: "0" } : {}) }),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.domEventHandlers({ blur: () => setup.onBlur() }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isQuiet()) setup.onChange(update.state.doc.toString());
    }),
  ];
}
