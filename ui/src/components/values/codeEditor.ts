// CodeMirror, set up once for this app: its look by classes, its styles under the page's nonce, its own undo while typing.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { styleNonce } from "../nonce";
import { templateText, variables } from "./templateText";

export type CodeEditor = { setText(text: string): void; destroy(): void };

export type Language = "javascript" | "json" | "template";

type Setup = {
  label: string;
  language: Language;
  /** Names that are offered while a template or a code is written. */
  names?: (() => readonly string[]) | undefined;
  hint?: string | undefined;
  text: string;
  readOnly: boolean;
  onChange: (text: string) => void;
  onBlur: () => void;
  /** What this one field has beyond the others. It comes first, so that its keys win. */
  more?: readonly Extension[];
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
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line2)",
    borderRadius: "6px",
    color: "var(--t1)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", fontSize: "0.75rem", padding: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", borderRadius: "4px", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-tint)", color: "var(--t1)" },
  ".cm-completionDetail": { color: "var(--t3)", fontStyle: "normal", fontFamily: "var(--font-ui)", marginLeft: "12px" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)" },
  ".cm-diagnostic": { borderLeft: "3px solid var(--failed)", fontFamily: "var(--font-ui)", fontSize: "0.75rem" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--retrying)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--failed)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--retrying)" },
  ".cm-lint-marker": {
    content: "none",
    width: "8px",
    height: "8px",
    borderRadius: "4px",
    marginTop: "5px",
    backgroundColor: "var(--failed)",
  },
  ".cm-lint-marker-warning": { backgroundColor: "var(--retrying)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--t1)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { fontFamily: "var(--font-ui)", fontSize: "0.75rem", padding: "6px 10px" },
  ".cm-textfield": {
    backgroundColor: "var(--field)",
    border: "1px solid var(--line3)",
    borderRadius: "5px",
    color: "var(--t1)",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--control)",
    border: "1px solid var(--line2)",
    borderRadius: "5px",
    color: "var(--t1)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--hover)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--control)", border: "1px solid var(--line2)", color: "var(--t2)" },
  ".cm-foldGutter": { color: "var(--t3)" },
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

/** The bare editor, for who has more to do with it. Its `onChange` also hears what is written by program. */
export function openEditor(parent: HTMLElement, setup: Setup, isQuiet: () => boolean = () => false): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({ doc: setup.text, extensions: extensionsOf(setup, isQuiet) }),
  });
}

export function mountEditor(parent: HTMLElement, setup: Setup): CodeEditor {
  let quiet = false;
  const view = openEditor(parent, setup, () => quiet);
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

function languageOf({ language, names = () => [], hint }: Setup): Extension[] {
  switch (language) {
    case "json":
      return [json(), lineNumbers()];
    case "javascript":
      return [javascript(), lineNumbers(), variables(names)];
    case "template":
      return [templateText(names), hint ? placeholder(hint) : []];
  }
}

function extensionsOf(setup: Setup, isQuiet: () => boolean) {
  return [
    setup.more ?? [],
    styleNonce ? EditorView.cspNonce.of(styleNonce) : [],
    ...languageOf(setup),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.lineWrapping,
    // What hides or turns text is seen in an editor, too.
    highlightSpecialChars({ addSpecialChars: /\u200c|\u200d|[\u202a-\u202c\u2060-\u2064\u2068]/gu }),
    EditorState.readOnly.of(setup.readOnly),
    EditorView.editable.of(!setup.readOnly),
    EditorView.contentAttributes.of({ "aria-label": setup.label, tabindex: "0" }),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.domEventHandlers({ blur: () => setup.onBlur() }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isQuiet()) setup.onChange(update.state.doc.toString());
    }),
  ];
}
