import { type PollOptions, toWatchTimeoutMs } from '../../../tasks/polling/pollPauses.ts';
import { readSetting } from '../../kit/manifest/settings.ts';

const maxIntervalMs = 30_000;

/** Returns the options of polling, in milliseconds; the settings are in seconds and minutes. */
export function readPollOptions(): PollOptions {
  const intervalMs = ensureMinimum(1, readSetting<number>('tasks.interval')) * 1000;
  return {
    intervalMs,
    maxIntervalMs: Math.max(intervalMs, maxIntervalMs),
    timeoutMs: toWatchTimeoutMs(ensureMinimum(0, readSetting<number>('tasks.timeout'))),
    pollsInFlight: 4,
  };
}

/** Returns the limit of requests for tasks in 24 hours; 0 means no limit. */
export function readDailyLimit(): number {
  return ensureMinimum(0, readSetting<number>('tasks.dailyLimit'));
}

function ensureMinimum(minimum: number, value: number | undefined): number {
  return typeof value === 'number' && value >= minimum ? value : minimum;
}
