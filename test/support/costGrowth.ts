const intervals = 40;
const repeats = 3;

/**
 * Measures the ratio of the cost of the last quarter of many steps to that of the first: about 1 if each step
 * costs the same, and 7 if the cost is proportional to the number of earlier steps. The steps are timed in
 * intervals. Each interval counts with its shortest time of several repeats, and the medians are compared, so that
 * other programs and garbage collection do not affect the result.
 *
 * @param begin starts from an empty state and returns the step
 */
export function measureCostGrowth(steps: number, begin: () => (at: number) => void): number {
  const length = Math.ceil(steps / intervals);
  const runs = Array.from({ length: repeats }, () => measureTimes(length, begin()));
  const least = Array.from({ length: intervals }, (_, nth) =>
    Math.min(...runs.map((times) => times[nth] ?? Number.NaN)),
  );
  const quarter = intervals / 4;
  return computeMedian(least.slice(-quarter)) / computeMedian(least.slice(0, quarter));
}

function measureTimes(length: number, step: (at: number) => void): readonly number[] {
  return Array.from({ length: intervals }, (_, nth) => {
    const before = performance.now();
    for (let at = nth * length; at < (nth + 1) * length; at += 1) step(at);
    return performance.now() - before;
  });
}

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
