/** Whether this is `npm run test:long`, which takes minutes and runs everything in full. */
export const longRuns = process.env.MODEL_GATEWAY_LONG === '1';

/** Whether tests save screenshots for review: in `npm run test:long`, and when files are run by name. */
export const savesPictures = process.env.MODEL_GATEWAY_PICTURES === '1';

/** Returns the number of repetitions of a test: `full` in `npm run test:long`, else a tenth of that. */
export function countRepetitions(full: number): number {
  return longRuns ? full : Math.ceil(full / 10);
}
