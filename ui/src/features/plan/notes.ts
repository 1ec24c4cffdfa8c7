// Notes live in the plan's `layout`, which only the canvas reads: they are saved, undone and exported with the plan.
import type { Point } from "../../components/canvas/model";
import type { CanvasNote } from "../../components/canvas/Notes";
import type { DraftView } from "../../ipc/bindings";
import { isNumber, type Json, objectOf, parse, print, step, textOf, tryParse } from "../../ipc/json";
import { edit, useDraft } from "../../state/draft";

const USUAL = { width: 216, height: 88 };
const NONE: readonly CanvasNote[] = [];

export function notesOf(view: DraftView): readonly CanvasNote[] {
  // A plan may be large: it is read again only where it can hold any.
  if (!view.document.includes('"notes"')) return NONE;
  const notes = objectOf(objectOf(objectOf(tryParse(view.document)).layout).notes);
  return Object.entries(notes).map(([id, value]) => {
    const note = objectOf(value);
    const sizeOf = (size: Json | undefined, usual: number) => (isNumber(size) ? Number(size.toString()) : usual);
    return {
      id,
      text: textOf(note.text),
      x: sizeOf(note.x, 0),
      y: sizeOf(note.y, 0),
      width: sizeOf(note.width, USUAL.width),
      height: sizeOf(note.height, USUAL.height),
    };
  });
}

export async function setNote(note: CanvasNote | null, id: string): Promise<void> {
  const { x, y, width, height, text } = note ?? { x: 0, y: 0, width: 0, height: 0, text: "" };
  const value = note
    ? print({ text, ...objectOf(parse(JSON.stringify({ x: Math.round(x), y: Math.round(y), width, height }))) })
    : null;
  await edit([{ setPlan: { field: `/layout/notes${step(id)}`, value } }]);
}

export async function addNote(world: Point): Promise<void> {
  const { view } = useDraft.getState();
  if (!view) return;
  const taken = new Set(notesOf(view).map((n) => n.id));
  let n = 1;
  while (taken.has(`note_${n}`)) n++;
  await setNote(
    { id: `note_${n}`, text: "", x: Math.round(world.x / 8) * 8, y: Math.round(world.y / 8) * 8, ...USUAL },
    `note_${n}`,
  );
}
