// What the test environments lack: observers, matrices and media queries, as far as the components ask for them.

import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

class FlatMatrix {
  m22 = 1;
}

Object.assign(globalThis, { ResizeObserver: NoObserver, DOMMatrixReadOnly: FlatMatrix });
if (typeof window !== "undefined") {
  window.matchMedia ??= ((query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof window.matchMedia;
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
}
// On a machine that is busy with other work, a first drawing takes longer than a second.
configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);
