// The course of edges: right angles only, through no card, and a loop's edge leaves at the right.
import { describe, expect, it } from "vitest";
import { CARD, type Rect } from "./model";
import { routeEdge } from "./route";

const card = (x: number, y: number): Rect => ({ x, y, ...CARD });

/** The corner points of a path, curves taken as their corner. */
function corners(path: string): [number, number][] {
  return [...path.matchAll(/([MLQ])(-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[2]), Number(m[3])]);
}

function crosses(path: string, rect: Rect): boolean {
  const points = corners(path);
  return points.slice(1).some(([x2, y2], ix) => {
    const [x1, y1] = points[ix]!;
    const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
    const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
    return left < rect.x + rect.width && right > rect.x && top < rect.y + rect.height && bottom > rect.y;
  });
}

describe("an edge", () => {
  it("goes straight down to a child right below", () => {
    const { path } = routeEdge(card(0, 0), card(0, 104), []);
    expect(new Set(corners(path).map(([x]) => x))).toEqual(new Set([108]));
  });

  it("runs sixteen above the child, so that siblings share one bus", () => {
    const bus = (fromX: number) => corners(routeEdge(card(fromX, 0), card(240, 104), []).path)[1]![1];
    expect(bus(0)).toBeCloseTo(bus(480), 5);
    expect(bus(0)).toBeLessThanOrEqual(104 - 16);
  });

  it("goes round a card that stands between", () => {
    const between = card(0, 104);
    const { path } = routeEdge(card(0, 0), card(0, 208), [card(0, 0), between, card(0, 208)]);
    expect(crosses(path, between)).toBe(false);
  });

  it("leaves at the right where it leads upwards, as in a loop", () => {
    const from = card(0, 208);
    const { path } = routeEdge(from, card(0, 0), []);
    expect(corners(path)[0]).toEqual([216, 244]);
  });

  it("ends with its arrow on the ring of the in-port", () => {
    const { arrow } = routeEdge(card(0, 0), card(0, 104), []);
    expect(arrow).toContain("L108 99");
  });
});
