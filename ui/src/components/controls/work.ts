// Where the work of a screen is done: the canvas, the row of a list that is walked to, or the text of a document. Keys that
// lead there, and focus that has lost its place, go through here. It knows no screen.

/** A plan that is only looked at while it is written is no work. */
const PLACES =
  ".react-flow[tabindex='0']:not(.sketch *), .list-view tr[tabindex='0'], .list-nothing, .json-box .cm-content";
const FIRST =
  'button:not(:disabled):not([tabindex="-1"]), [tabindex="0"], input:not(:disabled), textarea:not(:disabled)';

export function workIn(room: ParentNode): HTMLElement | null {
  return room.querySelector<HTMLElement>(PLACES);
}

/** What a region gives the focus to: its work, else the first that can be reached in it. */
export function entryOf(region: HTMLElement): HTMLElement | null {
  return workIn(region) ?? region.querySelector<HTMLElement>(FIRST);
}

/** Back to the work, from a field or a panel beside it. */
export function focusWork(): boolean {
  const place = workIn(document);
  place?.focus({ preventScroll: true });
  return place !== null;
}

/** For a menu that closes: the focus goes back to where it was, unless what was chosen has put it elsewhere meanwhile. */
export function backUnlessTaken(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.closest('[role="menu"]') !== null;
}

/** For the field of what has just opened: the very next key is for it, before the dialog itself gives it the focus. */
export function focusAtOnce(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true });
}
