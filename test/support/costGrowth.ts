const intervals = 80;

/**
 * How much dearer the last quarter of many steps is than the first: about 1 where a step costs the same however
 * many came before it, and 7 where all that came before counts. The steps are timed in stretches,
 * and the medians compared, so that neither other programs nor the collecting of garbage make a difference.
 */
export function costGrowth(steps: number, step: (at: number) => void): number {
  const times: number[] = [];
  const length = Math.ceil(steps / intervals);
  for (let start = 0; start < steps; start += length) {
    const before = performance.now();
    for (let at = start; at < start + length; at += 1) step(at);
    times.push(performance.now() - before);
  }
  const quarter = times.length / 4;
  return median(times.slice(-quarter)) / median(times.slice(0, quarter));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
