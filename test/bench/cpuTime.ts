import { median } from './report.ts';

const streamsPerRound = 100;
const streamsAtOnce = 10;
const roundCount = 7;

/** How many streams one figure is about. */
export const streamCount = streamsPerRound;

/**
 * The CPU time in milliseconds each contestant takes for a hundred streams, ten at once: the median of
 * several rounds, in which they take turns. A contestant reads one stream and tells how many texts it saw.
 *
 * No collection of garbage is forced between them: one at a time when no reply is open makes V8 drop the machine code
 * for replies, and each round would measure how it is made again.
 */
export async function cpuTimes(
  texts: number,
  contestants: readonly (() => Promise<number>)[],
): Promise<readonly number[]> {
  for (const stream of contestants) await cpuMs(stream, texts);
  const rounds: number[][] = contestants.map(() => []);
  for (let round = 0; round < roundCount; round++) {
    for (const [at, stream] of contestants.entries()) rounds[at]?.push(await cpuMs(stream, texts));
  }
  return rounds.map(median);
}

async function cpuMs(stream: () => Promise<number>, texts: number): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < streamsPerRound; at += streamsAtOnce) {
    for (const seen of await Promise.all(Array.from({ length: streamsAtOnce }, stream))) {
      if (seen !== texts) throw new Error(`${seen} texts instead of ${texts}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
