import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { maxTimerMs } from '../maxTimer.ts';

/** The clocks and timers. Tests replace them. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, which may jump. */
  now(): number;
  /** Milliseconds since an arbitrary time. Never decreases. Stops during sleep on some systems. */
  monotonic(): number;
  /** Milliseconds since the machine started, including sleep. Users cannot set it. */
  uptime(): number;
  /**
   * Calls `callback` once, after `ms` milliseconds, limited to the maximum of a timer (24.8 days).
   *
   * @returns a function that cancels the call
   */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: readUptimeMs,
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds, or at once when the signal is aborted. Never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal?.addEventListener('abort', finish);
  });
}

/**
 * Milliseconds since the machine started, including sleep. Users cannot set it, unlike the wall clock, and it
 * does not stop during sleep, unlike `performance.now()` on Linux and macOS.
 */
export function readUptimeMs(): number {
  return os.uptime() * 1000;
}
