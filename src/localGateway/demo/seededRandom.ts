import { createHash } from 'node:crypto';

/** Returns the next random number, from 0 to less than 1. */
export type SeededRandom = () => number;

/** Creates a generator of random numbers. The same text results in the same numbers. */
export function createRandom(text: string): SeededRandom {
  let state = createHash('sha256').update(text).digest().readUInt32LE();
  return () => {
    // A linear congruential generator. Its high bits are good enough to choose phrases and pauses.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function pickAtRandom<T>(random: SeededRandom, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random() * items.length)] ?? items[0];
}
