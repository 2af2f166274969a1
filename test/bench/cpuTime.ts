import { median } from './report.ts';

const STREAMS = 100;
const AT_ONCE = 10;
const ROUNDS = 7;

/** How many streams one figure is about. */
export const streamCount = STREAMS;

/**
 * The CPU time in milliseconds each contestant takes for a hundred streams, ten at once: the median of
 * several rounds, in which they take turns. A contestant reads one stream and tells how many texts it saw.
 */
export async function cpuTimes(
  texts: number,
  contestants: readonly (() => Promise<number>)[],
): Promise<readonly number[]> {
  for (const stream of contestants) await cpuMs(stream, texts);
  const rounds: number[][] = contestants.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, stream] of contestants.entries()) rounds[at]?.push(await cpuMs(stream, texts));
  }
  return rounds.map(median);
}

async function cpuMs(stream: () => Promise<number>, texts: number): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let at = 0; at < STREAMS; at += AT_ONCE) {
    for (const seen of await Promise.all(Array.from({ length: AT_ONCE }, stream))) {
      if (seen !== texts) throw new Error(`${seen} texts instead of ${texts}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
