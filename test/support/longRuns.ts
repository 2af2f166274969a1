/** Whether `npm run test:long` runs the tests, which takes minutes and tries everything in full. */
export const longRuns = process.env.MODEL_GATEWAY_LONG === '1';

/** How often a test of many runs repeats itself: `full` times in `npm run test:long`, else a tenth of that. */
export function repetitions(full: number): number {
  return longRuns ? full : Math.ceil(full / 10);
}
