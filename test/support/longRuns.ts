/** Whether `npm run test:long` runs the tests, which takes minutes and tries everything in full. */
export const longRuns = process.env.MODEL_GATEWAY_LONG === '1';

/** Whether tests leave pictures to look at: in `npm run test:long`, and where files are run by their names. */
export const leavesPictures = process.env.MODEL_GATEWAY_PICTURES === '1';

/** How often a test of many runs repeats itself: `full` times in `npm run test:long`, else a tenth of that. */
export function repetitions(full: number): number {
  return longRuns ? full : Math.ceil(full / 10);
}
