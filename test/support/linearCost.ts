import assert from 'node:assert/strict';
import { longRuns } from './longRuns.ts';

/** The limit for the ratio of doubled work: linear, with some room for the machine's noise. */
const maxGrowth = 2.3;
/**
 * A smaller cost cannot be distinguished from noise. A cost that stays below this at the largest size is accepted.
 */
const minMs = 8;
const runCount = longRuns ? 4 : 2;
const maxTries = 10;
/** The compared sizes, as multiples of the first. A growing heap makes several doublings in a row expensive. */
const doublings = [1, 2, 4, 8, 16];

/**
 * Asserts P9: the cost of 2n is at most 2.3 times the cost of n. Measures processor time, takes the minimum of
 * several runs, and starts at an `n` with a measurable cost. A step, such as the start of garbage collection,
 * affects one or two doublings; a cost that grows faster than the work affects all of them.
 *
 * @param prepare creates the input of `run`; this is not measured
 */
export function assertLinear<Input>(
  prepare: (n: number) => Input,
  run: (input: Input) => void,
  n = 10_000,
): void {
  const largest = (longRuns ? 8 : 2) * n;
  let size = n;
  let cost = measureLeastCost(prepare(size), run);
  while (cost < minMs && size < largest) {
    size *= 2;
    cost = measureLeastCost(prepare(size), run);
  }
  if (cost < minMs) return;
  const ratios: string[] = [];
  for (const factor of doublings) {
    const from = factor * size;
    const [once, twice] = [prepare(from), prepare(2 * from)];
    let growth = Number.POSITIVE_INFINITY;
    for (let nth = 0; growth > maxGrowth && nth < maxTries / factor; nth++) {
      cost = measureLeastCost(once, run);
      growth = Math.min(growth, measureLeastCost(twice, run) / cost);
    }
    if (growth <= maxGrowth) return;
    ratios.push(`the cost of ${2 * from} is ${growth.toFixed(2)} times the cost of ${from}`);
  }
  assert.fail(ratios.join(', '));
}

/** Like `assertLinear`, for asynchronous work. Measures the time of the whole process. */
export async function assertLinearSteps<Input>(
  prepare: (n: number) => Input,
  run: (input: Input) => Promise<void>,
  n: number,
): Promise<void> {
  const ratios: string[] = [];
  for (const factor of doublings) {
    const from = factor * n;
    const [once, twice] = [prepare(from), prepare(2 * from)];
    let growth = Number.POSITIVE_INFINITY;
    for (let nth = 0; growth > maxGrowth && nth < maxTries / factor; nth++) {
      const cost = Math.min(await measureCost(once, run), await measureCost(once, run));
      const costOfTwice = Math.min(await measureCost(twice, run), await measureCost(twice, run));
      if (costOfTwice < minMs) return;
      growth = Math.min(growth, costOfTwice / cost);
    }
    if (growth <= maxGrowth) return;
    ratios.push(`the cost of ${2 * from} is ${growth.toFixed(2)} times the cost of ${from}`);
  }
  assert.fail(ratios.join(', '));
}

async function measureCost<Input>(input: Input, run: (input: Input) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Measures the processor time of this thread: the threads of the garbage collector cost more on a busy machine. */
function measureLeastCost<Input>(input: Input, run: (input: Input) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < runCount; nth++) {
    const before = process.threadCpuUsage();
    run(input);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
