// Paste: the browser's event carries the text where it is allowed; where it stays away, what was copied here is taken.
import { type RefObject, useEffect } from "react";
import type { CanvasHandle } from "../../components/canvas/viewport";
import { isTyping } from "../../components/controls/keys";
import { paste } from "./commands";

const WAIT_MS = 80;

export function useClipboard(isEditable: boolean, canvas: RefObject<CanvasHandle | null>): void {
  useEffect(() => {
    if (!isEditable) return;
    let timer = 0;
    // What is pasted lands at the pointer while that is over the canvas.
    const aim = () => canvas.current?.pointer() ?? null;
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "v" || isTyping(event.target)) return;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => void paste(undefined, aim()), WAIT_MS);
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(event.target)) return;
      window.clearTimeout(timer);
      const text = event.clipboardData?.getData("text/plain");
      event.preventDefault();
      void paste(text || undefined, aim());
    };
    window.addEventListener("keydown", onKey);
    document.addEventListener("paste", onPaste);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("keydown", onKey);
      document.removeEventListener("paste", onPaste);
    };
  }, [isEditable, canvas]);
}
