import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from './seededRandom.ts';

/** The delay before the first token, and between tokens, in milliseconds. */
export interface Pace {
  readonly firstMs: number;
  readonly tokenMs: number;
}

/**
 * Chooses the pace of a real model by default: 150 to 400 ms to the first token, then 80 to 120 tokens a
 * second.
 */
export function choosePace(random: SeededRandom, tokensPerSecond?: number): Pace {
  if (tokensPerSecond === undefined)
    return { firstMs: 150 + 250 * random(), tokenMs: 1000 / (80 + 40 * random()) };
  if (tokensPerSecond === 0) return { firstMs: 0, tokenMs: 0 };
  return { firstMs: 1000 / tokensPerSecond, tokenMs: 1000 / tokensPerSecond };
}

/**
 * Yields each item when it is due.
 *
 * @throws the signal's reason as soon as it is aborted
 */
export async function* paced<T>(
  items: Iterable<T>,
  pace: Pace,
  random: SeededRandom,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const start = performance.now();
  let due = pace.firstMs;
  for (const item of items) {
    const early = start + due - performance.now();
    // Timers have a resolution of 1 ms. An item that is late comes at once.
    if (early >= 1) await wait(early, undefined, { signal });
    signal.throwIfAborted();
    yield item;
    due += pace.tokenMs * (0.5 + random());
  }
}
