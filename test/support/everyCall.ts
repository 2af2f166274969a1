import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type CallFailure, type CountedCall, callFailures, FailingCalls } from './failingCalls.ts';
import { withFastTimers } from './fastTimers.ts';
import { longRuns } from './longRuns.ts';
import { seed } from './seed.ts';
import { UncaughtErrors } from './uncaughtErrors.ts';

/** A flow of the program, which uses one folder. */
export interface Flow {
  /** Creates the files that exist before the flow. */
  readonly prepare: (folder: string) => void | Promise<void>;
  /** It may reject, as the functions of the program do. */
  readonly flow: (folder: string, calls: FailingCalls) => Promise<void>;
  /**
   * Checks the promises after the flow, when no call fails any more.
   *
   * @param failed the call that failed; undefined if none did
   */
  readonly check: (folder: string, failed: string | undefined) => void | Promise<void>;
}

interface EveryCallOptions {
  /** The least number of places in `npm run test:long`, where every call fails in every way. */
  readonly atLeast: number;
  /** The names of calls that have a late error in short runs too, because it was once not handled. */
  readonly always?: RegExp;
}

/** A flow that takes longer hangs. */
const maxFlowMs = 20_000;
/** The number of places for each kind of failure in a short run. */
const placesInShortRun = 5;

/** Adds the tests of a flow: one for each kind of failure of its calls. */
export function testEveryCall(flow: Flow, { atLeast, always }: EveryCallOptions): void {
  const expectedPlaces = longRuns ? atLeast : placesInShortRun;
  let places = 0;
  let calls: readonly CountedCall[] = [];
  let parent = '';

  before(async function () {
    this.timeout(60_000);
    parent = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'calls-'));
    mkdirSync(join(parent, 'before'));
    // The first run loads modules, and later ones do not.
    await run(flow, parent, 0, 'error');
    ({ calls } = await run(flow, parent, 0, 'error'));
  });

  after(() => rmSync(parent, { recursive: true, force: true }));

  for (const failure of callFailures) {
    it(`keeps its promises after each call: ${failure}`, async function () {
      this.timeout(600_000);
      const problems: unknown[] = [];
      for (const nth of choosePlaces(calls, failure, always)) {
        try {
          const { failedCall } = await run(flow, parent, nth, failure);
          if (failedCall !== undefined) places += 1;
        } catch (error) {
          problems.push(error);
        }
      }
      assert.deepEqual(problems, []);
    });
  }

  it(`has failed at ${expectedPlaces} places at least`, () => {
    assert.ok(places >= expectedPlaces, `${places} places`);
  });
}

/** Chooses the numbers of the calls to fail: all in a long run, else a few that depend on the seed. */
function choosePlaces(
  calls: readonly CountedCall[],
  failure: CallFailure,
  always: RegExp | undefined,
): readonly number[] {
  const isPossible = ({ isDivisible, needsSpace }: CountedCall) =>
    failure === 'full disk' ? needsSpace : isDivisible || !failure.startsWith('part');
  const all = calls.flatMap((call, index) => (isPossible(call) ? [index + 1] : []));
  if (longRuns) return all;
  const step = Math.max(1, Math.floor(all.length / placesInShortRun));
  const isAlways = (nth: number) => failure === 'late error' && always?.test(calls[nth - 1]?.name ?? '');
  return all.filter((nth, index) => index % step === seed % step || isAlways(nth));
}

/** Runs a flow and its check in a new folder. With `nth` 0, no call fails. */
async function run(flow: Flow, parent: string, nth: number, failure: CallFailure): Promise<FailingCalls> {
  const folder = join(parent, 'now');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(parent, 'before'), folder, { recursive: true });
  await flow.prepare(folder);
  const failing = new FailingCalls(folder, nth, failure);
  const uncaught = new UncaughtErrors();
  try {
    await withFastTimers(() => runAndCheck(flow, folder, failing));
  } finally {
    const errors = await uncaught.end();
    // The rest of a process that has ended runs without its files.
    if (errors.length > 0 && !failing.hasCrashed) {
      assert.fail(`Uncaught after ${failing.failedCall}: ${inspect(errors)}`);
    }
  }
  return failing;
}

async function runAndCheck({ flow, check }: Flow, folder: string, failing: FailingCalls): Promise<void> {
  const flowing = failing.run(async () => {
    try {
      await flow(folder, failing);
    } catch (error) {
      // An error of a run without failures is a fault of the test.
      if (failing.failedCall === undefined || error instanceof assert.AssertionError) throw error;
    }
  });
  await waitWithinLimit(flowing, failing);
  if (!failing.hasCrashed)
    assert.equal(failing.openConnections, 0, `a database is open after ${failing.failedCall}`);
  try {
    await waitWithinLimit(Promise.resolve(check(folder, failing.failedCall)), failing);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`After ${failing.failedCall ?? 'no failure'}: ${message}`, { cause: error });
  }
}

async function waitWithinLimit(work: Promise<unknown>, failing: FailingCalls): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const startedAt = performance.now();
  // A short interval keeps its time.
  const timer = setInterval(() => {
    if (performance.now() - startedAt > maxFlowMs) reject(new Error(`It hangs after ${failing.failedCall}.`));
  }, 200);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearInterval(timer);
    failing.stop();
  }
}
