import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** Shorter intervals keep their time, so that they do not run between any two calls. */
const minFastIntervalMs = 5_000;

/** Runs `act` while pauses take this part of their time, so that retries do not delay the test. */
export async function withFastTimers<Result>(act: () => Promise<Result>, factor = 100): Promise<Result> {
  const { setTimeout: original, setInterval: repeat } = globalThis;
  const { setTimeout: wait } = timers;
  const fast = (callback: () => void, ms = 0, ...rest: readonly []) =>
    original(callback, ms / factor, ...rest);
  const fastRepeat = (callback: () => void, ms = 0, ...rest: readonly []) =>
    repeat(callback, ms >= minFastIntervalMs ? ms / factor : ms, ...rest);
  globalThis.setInterval = Object.assign(fastRepeat, repeat) as typeof setInterval;
  globalThis.setTimeout = Object.assign(fast, original) as typeof setTimeout;
  timers.setTimeout = ((ms = 0, ...rest: readonly []) => wait(ms / factor, ...rest)) as typeof wait;
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    globalThis.setTimeout = original;
    globalThis.setInterval = repeat;
    timers.setTimeout = wait;
    syncBuiltinESMExports();
  }
}
