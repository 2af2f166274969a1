import { performance } from 'node:perf_hooks';
import { uptimeMs } from '../client/uptime.ts';

/** Time, as far as tasks go by it. Tests bring a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970 by the wall clock, which may jump either way. */
  now(): number;
  /** Milliseconds since some moment. Never goes back; some systems stop it while they sleep. */
  monotonic(): number;
  /** Milliseconds since the machine was started, its sleep included. Nobody can set it. */
  uptime(): number;
  /**
   * Calls back once, after `ms` or after what a timer can hold at most (24.8 days).
   *
   * @returns calls it off
   */
  after(ms: number, callback: () => void): () => void;
}

/** A timer set for longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: uptimeMs,
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      callOff();
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const callOff = clock.after(ms, over);
    signal?.addEventListener('abort', over);
  });
}
