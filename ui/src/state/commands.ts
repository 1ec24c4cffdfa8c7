// What can be done on the screen that is open, for the search (Ctrl K). The screen says it; the search asks when it opens.
import { useEffect, useRef } from "react";

export type Command = { id: string; label: string; keys?: string | undefined; act: () => void };

let source: (() => readonly Command[]) | null = null;

export function commandsHere(): readonly Command[] {
  return source?.() ?? [];
}

/** While the caller is on screen, its commands are found. They are made when they are asked for, so they are never stale. */
export function useCommands(commands: () => readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const mine = () => latest.current();
    source = mine;
    return () => {
      if (source === mine) source = null;
    };
  }, []);
}
