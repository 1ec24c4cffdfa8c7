// Paste: the browser's event carries the text where it is allowed; where it stays away, what was copied here is taken.
import { useEffect } from "react";
import { isTyping } from "../../components/controls/keys";
import { paste } from "./commands";

const WAIT_MS = 80;

export function useClipboard(isEditable: boolean): void {
  useEffect(() => {
    if (!isEditable) return;
    let timer = 0;
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "v" || isTyping(event.target)) return;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => void paste(), WAIT_MS);
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(event.target)) return;
      window.clearTimeout(timer);
      const text = event.clipboardData?.getData("text/plain");
      event.preventDefault();
      void (text ? paste(text) : paste());
    };
    window.addEventListener("keydown", onKey);
    document.addEventListener("paste", onPaste);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("keydown", onKey);
      document.removeEventListener("paste", onPaste);
    };
  }, [isEditable]);
}
