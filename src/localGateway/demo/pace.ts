import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from './seededRandom.ts';

/** When the first token comes, and how long each one takes after it, in milliseconds. */
export interface Pace {
  readonly firstMs: number;
  readonly tokenMs: number;
}

/** A real model's pace where none is asked for: 150 to 400 ms to the first token, then 80 to 120 a second. */
export function choosePace(dice: SeededRandom, tokensPerSecond?: number): Pace {
  if (tokensPerSecond === undefined)
    return { firstMs: 150 + 250 * dice(), tokenMs: 1000 / (80 + 40 * dice()) };
  if (tokensPerSecond === 0) return { firstMs: 0, tokenMs: 0 };
  return { firstMs: 1000 / tokensPerSecond, tokenMs: 1000 / tokensPerSecond };
}

/** Yields each item when it is due. Throws the signal's reason as soon as that is aborted. */
export async function* paced<T>(
  items: Iterable<T>,
  pace: Pace,
  dice: SeededRandom,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const start = performance.now();
  let due = pace.firstMs;
  for (const item of items) {
    const early = start + due - performance.now();
    // Timers are no finer than this, and what is late catches up.
    if (early >= 1) await wait(early, undefined, { signal });
    signal.throwIfAborted();
    yield item;
    due += pace.tokenMs * (0.5 + dice());
  }
}
