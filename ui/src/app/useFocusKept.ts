// The keyboard never falls out of the window: where the focused element goes away, or another screen comes, the focus goes
// to the work that is there then, else to the screen itself. Who has put the focus elsewhere meanwhile is left alone.
import { type RefObject, useEffect, useRef } from "react";
import { workIn } from "../components/controls/work";

export function useFocusKept(main: RefObject<HTMLElement | null>, screen: string): void {
  const isLost = useRef(false);
  const seen = useRef(screen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is what asks for the focus
  useEffect(() => {
    if (seen.current === screen) return;
    seen.current = screen;
    isLost.current ||= isNowhere(main.current);
    regain(main.current, isLost);
  }, [screen]);
  useEffect(() => {
    const room = main.current;
    if (!room) return;
    let last: Element | null = null;
    const onIn = (event: FocusEvent) => {
      last = event.target as Element;
      if (last !== room) isLost.current = false;
    };
    // What is left on purpose is no loss; what is taken out of the document while it has the focus is one.
    const onOut = (event: FocusEvent) => {
      const left = event.target as Element;
      queueMicrotask(() => {
        if (left === last && left.isConnected) last = null;
      });
    };
    const onDown = () => {
      isLost.current = false;
    };
    let frame = 0;
    const look = () => {
      frame = 0;
      if (last && !last.isConnected && document.activeElement === document.body) {
        isLost.current = true;
        last = null;
      }
      if (isLost.current) regain(room, isLost);
    };
    const observer = new MutationObserver(() => {
      if (frame === 0 && isNowhere(room)) frame = requestAnimationFrame(look);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", onIn);
    document.addEventListener("focusout", onOut);
    document.addEventListener("pointerdown", onDown, { capture: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      document.removeEventListener("focusin", onIn);
      document.removeEventListener("focusout", onOut);
      document.removeEventListener("pointerdown", onDown, { capture: true });
    };
  }, [main]);
}

function isNowhere(main: HTMLElement | null): boolean {
  return document.activeElement === document.body || document.activeElement === main;
}

/** The screen has the focus until its work is there to take it. */
function regain(main: HTMLElement | null, isLost: { current: boolean }): void {
  if (!main || !isLost.current || !isNowhere(main)) return;
  if (document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]')) return;
  const work = workIn(main);
  if (work) {
    isLost.current = false;
    work.focus({ preventScroll: true });
  } else if (document.activeElement !== main) main.focus({ preventScroll: true });
}
