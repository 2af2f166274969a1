import assert from 'node:assert/strict';
import { longRuns } from './longRuns.ts';

/** Twice as much may cost this much more: linear, and some room for the machine's noise. */
const maxGrowth = 2.3;
/** A cost below this is too small to be told from chance; what stays below it at the largest size is cheap. */
const minMs = 8;
const runCount = longRuns ? 4 : 2;
const maxTries = 10;
/** Sizes that are compared, as multiples of the first. A heap that grows makes several doublings dear in turn. */
const doublings = [1, 2, 4, 8, 16];

/**
 * Asserts P9: the cost of 2n is at most 2.3 times the cost of n. Counts processor time, takes the least of several
 * runs, and begins at `n` with what costs enough to be measured. A step, as where the garbage collector begins to
 * run, raises a doubling or two; a cost that grows faster than the work raises all of them.
 *
 * @param prepare makes what `run` takes, which is not measured
 */
export function assertLinear<Input>(
  prepare: (n: number) => Input,
  run: (input: Input) => void,
  n = 10_000,
): void {
  const largest = (longRuns ? 8 : 2) * n;
  let size = n;
  let cost = leastCost(prepare(size), run);
  while (cost < minMs && size < largest) {
    size *= 2;
    cost = leastCost(prepare(size), run);
  }
  if (cost < minMs) return;
  const growths: string[] = [];
  for (const factor of doublings) {
    const from = factor * size;
    const [once, twice] = [prepare(from), prepare(2 * from)];
    let growth = Number.POSITIVE_INFINITY;
    for (let nth = 0; growth > maxGrowth && nth < maxTries / factor; nth++) {
      cost = leastCost(once, run);
      growth = Math.min(growth, leastCost(twice, run) / cost);
    }
    if (growth <= maxGrowth) return;
    growths.push(`${2 * from} cost ${growth.toFixed(2)} times what ${from} cost`);
  }
  assert.fail(growths.join(', '));
}

/** The same for what takes its time in steps. */
export async function assertLinearSteps<Input>(
  prepare: (n: number) => Input,
  run: (input: Input) => Promise<void>,
  n: number,
): Promise<void> {
  const growths: string[] = [];
  for (const factor of doublings) {
    const from = factor * n;
    const [once, twice] = [prepare(from), prepare(2 * from)];
    let growth = Number.POSITIVE_INFINITY;
    for (let nth = 0; growth > maxGrowth && nth < maxTries / factor; nth++) {
      const cost = Math.min(await costOf(once, run), await costOf(once, run));
      const costOfTwice = Math.min(await costOf(twice, run), await costOf(twice, run));
      if (costOfTwice < minMs) return;
      growth = Math.min(growth, costOfTwice / cost);
    }
    if (growth <= maxGrowth) return;
    growths.push(`${2 * from} cost ${growth.toFixed(2)} times what ${from} cost`);
  }
  assert.fail(growths.join(', '));
}

async function costOf<Input>(input: Input, run: (input: Input) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Of this thread alone: those of the garbage collector cost more on a busy machine. */
function leastCost<Input>(input: Input, run: (input: Input) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < runCount; nth++) {
    const before = process.threadCpuUsage();
    run(input);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
