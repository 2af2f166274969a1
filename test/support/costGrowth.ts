const intervals = 40;
const repeats = 3;

/**
 * How much dearer the last quarter of many steps is than the first: about 1 where a step costs the same however
 * many came before it, and 7 where all that came before counts. The steps are timed in intervals, each by its
 * least time of several repeats, and the medians compared, so that neither other programs nor the collecting of
 * garbage make a difference.
 *
 * @param begin begins from nothing, and returns the step
 */
export function costGrowth(steps: number, begin: () => (at: number) => void): number {
  const length = Math.ceil(steps / intervals);
  const runs = Array.from({ length: repeats }, () => timesOf(length, begin()));
  const least = Array.from({ length: intervals }, (_, nth) =>
    Math.min(...runs.map((times) => times[nth] ?? Number.NaN)),
  );
  const quarter = intervals / 4;
  return median(least.slice(-quarter)) / median(least.slice(0, quarter));
}

function timesOf(length: number, step: (at: number) => void): readonly number[] {
  return Array.from({ length: intervals }, (_, nth) => {
    const before = performance.now();
    for (let at = nth * length; at < (nth + 1) * length; at += 1) step(at);
    return performance.now() - before;
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
