// Texts with `{{ name }}` in CodeMirror: what stands in braces is marked, and names are offered there. Knows no plan.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

const MARK = Decoration.mark({ class: "cm-slot" });
const matcher = new MatchDecorator({ regexp: /\{\{[^{}]*\}\}|\{%[^{}]*%\}/g, decoration: MARK });

const marks = ViewPlugin.fromClass(
  class {
    found: DecorationSet;
    constructor(view: EditorView) {
      this.found = matcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.found = matcher.updateDeco(update, this.found);
    }
  },
  { decorations: (plugin) => plugin.found },
);

const LOOK = EditorView.theme({
  ".cm-slot": {
    color: "var(--accent)",
    backgroundColor: "var(--accent-tint)",
    borderRadius: "3px",
    fontFamily: "var(--font-mono)",
  },
});

type Names = () => readonly string[];

export function templateText(names: Names): Extension {
  return [marks, LOOK, offering((context) => inBraces(context, names))];
}

/** Names as variables of a code, behind what the language itself offers. */
export function variables(names: Names): Extension {
  return offering((context) => {
    const word = context.matchBefore(/[A-Za-z_][\w.]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    return { from: word.from, options: names().map((label) => ({ label, type: "variable" })) };
  });
}

function offering(source: (context: CompletionContext) => CompletionResult | null): Extension {
  return [autocompletion({ override: [source], icons: false }), keymap.of(completionKeymap)];
}

/** After `{{`, and anywhere on request, where the braces come with the name. */
export function inBraces(context: CompletionContext, names: Names): CompletionResult | null {
  const open = context.matchBefore(/\{\{\s*[\w.]*/);
  const closed = /^\s*\}\}/.test(context.state.sliceDoc(context.pos, context.pos + 8));
  if (open) {
    const from = open.from + (/^\{\{\s*/.exec(open.text)?.[0].length ?? 0);
    const spaced = open.text.startsWith("{{ ") ? "" : " ";
    return { from, options: names().map((label) => ({ label, apply: closed ? label : `${spaced}${label} }}` })) };
  }
  if (!context.explicit) return null;
  const word = context.matchBefore(/[\w.]*/);
  return { from: word?.from ?? context.pos, options: names().map((label) => ({ label, apply: `{{ ${label} }}` })) };
}
