// Places in a JSON text: which path the cursor is at, and where in the text a JSON Pointer leads. Reads the syntax tree,
// so it works on half-written text too.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { steps } from "../../../ipc/json";
import type { Path } from "./planSchema";

export type Spot = { path: Path; isKey: boolean; from: number; to: number; object: SyntaxNode | null };

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

/** A long text is read in the background: what is asked for is read now, if it can be done while a person waits. */
function treeOf(state: EditorState, upTo: number) {
  return ensureSyntaxTree(state, upTo, 200) ?? syntaxTree(state);
}

/** What is being written at `pos`: a key or a value, with the path of the object or of the field around it. */
export function spotAt(state: EditorState, pos: number): Spot | null {
  const found = treeOf(state, pos).resolveInner(pos, -1);
  const node = found.type.isError && found.parent ? found.parent : found;
  const string = node.name === "String" || node.name === "PropertyName" ? node : null;
  const from = string
    ? string.from
    : pos - (/"?[\w.$/-]*$/.exec(state.sliceDoc(Math.max(0, pos - 64), pos))?.[0].length ?? 0);
  const to = string ? string.to : pos;
  if (node.name === "PropertyName") {
    const object = node.parent?.parent ?? null;
    return object ? { path: pathOf(state, object), isKey: true, from, to, object } : null;
  }
  const holder = string ? string.parent : node;
  if (holder?.name === "Object") return { path: pathOf(state, holder), isKey: true, from, to, object: holder };
  if (holder?.name === "Property" || holder?.name === "Array" || string) {
    const target = string ?? holder;
    return target
      ? {
          path: string ? pathOf(state, string) : openPath(state, target, pos),
          isKey: false,
          from,
          to,
          object: objectAround(target),
        }
      : null;
  }
  return null;
}

function openPath(state: EditorState, node: SyntaxNode, pos: number): Path {
  if (node.name === "Array") return [...pathOf(state, node), valuesIn(node).filter((v) => v.to <= pos).length];
  const key = node.getChild("PropertyName");
  const object = node.parent;
  return object && key ? [...pathOf(state, object), nameOf(state, key)] : [];
}

export function objectAround(node: SyntaxNode | null): SyntaxNode | null {
  for (let at = node; at; at = at.parent) if (at.name === "Object") return at;
  return null;
}

/** From the document's start to this value: names and numbers. */
export function pathOf(state: EditorState, node: SyntaxNode): Path {
  const path: (string | number)[] = [];
  for (let at: SyntaxNode | null = node; at?.parent; at = at.parent) {
    const parent: SyntaxNode = at.parent;
    if (parent.name === "Property") {
      const key = parent.getChild("PropertyName");
      if (key && at.name !== "PropertyName") path.unshift(nameOf(state, key));
    } else if (parent.name === "Array") path.unshift(valuesIn(parent).findIndex((v) => v.from === at?.from));
  }
  return path;
}

function valuesIn(list: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = list.firstChild; child; child = child.nextSibling) if (VALUES.has(child.name)) found.push(child);
  return found;
}

export function nameOf(state: EditorState, key: SyntaxNode): string {
  try {
    return JSON.parse(state.sliceDoc(key.from, key.to)) as string;
  } catch {
    return state.sliceDoc(key.from + 1, key.to - 1);
  }
}

export function keysOf(state: EditorState, object: SyntaxNode): Map<string, SyntaxNode> {
  const found = new Map<string, SyntaxNode>();
  for (const property of object.getChildren("Property")) {
    const key = property.getChild("PropertyName");
    const value = property.lastChild;
    if (key) found.set(nameOf(state, key), value && VALUES.has(value.name) ? value : key);
  }
  return found;
}

/** The range of the value at a pointer, or of the nearest one around it. */
export function rangeOf(state: EditorState, pointer: string): { from: number; to: number } | null {
  let here = treeOf(state, state.doc.length).topNode.firstChild;
  while (here && !VALUES.has(here.name)) here = here.nextSibling;
  if (!here) return null;
  for (const part of steps(pointer)) {
    const next: SyntaxNode | undefined =
      here.name === "Array" ? valuesIn(here)[Number(part)] : keysOf(state, here).get(part);
    if (!next) break;
    here = next;
  }
  return { from: here.from, to: here.to };
}

/** The position in `/tasks` of the task that the place lies in; null outside of all. */
export function taskAt(state: EditorState, pos: number): number | null {
  const path = pathOf(state, treeOf(state, pos).resolveInner(pos, 1));
  return path[0] === "tasks" && typeof path[1] === "number" && path[1] >= 0 ? path[1] : null;
}
