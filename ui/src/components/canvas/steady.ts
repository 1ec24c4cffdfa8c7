// Functions that stay the same while what they do follows the newest render. React Flow draws every card and edge in view
// anew for each new function that it is given, and tells its store, which asks every card again. It draws nothing itself.
import { useMemo, useRef } from "react";

export function useSteady<T extends object>(handlers: T): T {
  const now = useRef(handlers);
  now.current = handlers;
  const names = Object.keys(handlers).sort().join(" ");
  return useMemo(() => {
    const call = (name: string) => [name, (...given: unknown[]) => find(now.current, name)?.(...given)];
    return Object.fromEntries(names.split(" ").map(call));
  }, [names]);
}

function find(handlers: object, name: string): ((...given: unknown[]) => unknown) | undefined {
  const found: unknown = Reflect.get(handlers, name);
  return typeof found === "function" ? (...given) => Reflect.apply(found, undefined, given) : undefined;
}
