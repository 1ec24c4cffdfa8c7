// The edge that what is being dragged would be put into when it is let go. Gone when the pointer is released.
import { create } from "zustand";
import { type CanvasEdge, edgeId, type Point } from "./model";

export const useDropTarget = create<{ edge: string | null }>(() => ({ edge: null }));

export function aimAt(edge: CanvasEdge | null): void {
  const id = edge ? edgeId(edge.from, edge.to) : null;
  if (useDropTarget.getState().edge !== id) useDropTarget.setState({ edge: id });
}

/** The edge under a point of the window, also under the card that is being dragged. */
export function edgeUnder(client: Point, edges: readonly CanvasEdge[]): CanvasEdge | null {
  for (const element of document.elementsFromPoint(client.x, client.y)) {
    const id = element.closest<HTMLElement>(".react-flow__edge")?.dataset.id;
    if (id) return edges.find((e) => edgeId(e.from, e.to) === id) ?? null;
  }
  return null;
}
