// How work grows, told by the ratio of two sizes within one run: a busy machine slows both. For tests alone.

const FEW = 1_000;
const TIMES = 10;
const RUNS = 3;

function least(work: () => void): number {
  const took = Array.from({ length: RUNS }, () => {
    const before = performance.now();
    work();
    return performance.now() - before;
  });
  return Math.min(...took);
}

/** How much longer ten times as much takes, as a power: 1 is linear, 2 is quadratic. `prepare` is not counted. */
export function powerOf<T>(prepare: (size: number) => T, work: (given: T) => void): number {
  const [few, many] = [prepare(FEW), prepare(FEW * TIMES)];
  work(few);
  const short = Math.max(
    least(() => work(few)),
    0.05,
  );
  return Math.log10(least(() => work(many)) / short) / Math.log10(TIMES);
}

/** Clearly below quadratic, with room for caches that are too small and for collected garbage. */
export const STILL_LINEAR = 1.8;
