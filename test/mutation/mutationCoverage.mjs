// Which mutants each test executes.
import { shared } from './mutationProcess.mjs';

/** More than the number of mutants of a folder. */
const maxMutants = 1 << 16;

/** A quarter of all mutants may run their tests to the end within this time: 45 minutes on two cores. */
const quarterMs = 2 * 45 * 60_000;
const longestMs = 5_000;

export class MutationCoverage {
  #counts = new Uint32Array(maxMutants);
  /** @type {Record<string, number>} */
  #loaded = {};
  /** @type {Map<string, Record<string, number>>} */
  #executed = new Map();
  #owner = '';

  constructor() {
    shared.counts = this.#counts;
  }

  /** The code until now ran because modules were loaded. */
  endLoading() {
    this.#moveCountsTo(this.#loaded);
  }

  /** The code from now on belongs to this test, or to all tests of this test file. @param {string} owner */
  startOwner(owner) {
    const mutants = this.#executed.get(this.#owner) ?? {};
    this.#moveCountsTo(mutants);
    this.#executed.set(this.#owner, mutants);
    this.#owner = owner;
  }

  /** Ends counting. @param {string} threads lines of a test file and a mutant that its threads executed */
  end(threads) {
    this.startOwner('');
    shared.counts = undefined;
    for (const line of threads.split('\n')) {
      const [file = '', mutant = ''] = line.split('\t');
      // A thread loads its modules again, but the other tests of a mutant in a constant do not.
      if (mutant === '' || mutant in this.#loaded) continue;
      const mutants = this.#executed.get(file) ?? {};
      mutants[mutant] ??= 1;
      this.#executed.set(file, mutants);
    }
  }

  /**
   * The fastest tests of each mutant, so that the run of a large folder ends within an hour.
   *
   * @param {readonly { id: string, fileName: string, timeSpentMs: number }[]} tests
   * @returns {import('@stryker-mutator/api/core').MutantCoverage}
   */
  ofTests(tests) {
    const mutants = new Set([...this.#executed.values()].flatMap((counts) => Object.keys(counts)));
    const maxMs = Math.min(longestMs, (4 * quarterMs) / Math.max(1, mutants.size));
    /** @type {Record<string, Record<string, number>>} */
    const perTest = {};
    /** @type {Map<string, number>} */
    const durations = new Map();
    for (const { id, fileName, ms } of tests.map(withRoundedTime).sort((one, other) => one.ms - other.ms)) {
      const kept = perTest[id] ?? {};
      const executed = { ...this.#executed.get(fileName), ...this.#executed.get(id) };
      for (const [mutant, count] of Object.entries(executed)) {
        const before = durations.get(mutant);
        if (before !== undefined && before + ms > maxMs) continue;
        durations.set(mutant, (before ?? 0) + ms);
        kept[mutant] = count;
      }
      perTest[id] = kept;
    }
    return { static: this.#loaded, perTest };
  }

  /** @param {Record<string, number>} mutants */
  #moveCountsTo(mutants) {
    for (const [mutant, count] of this.#counts.entries()) {
      if (count > 0) mutants[mutant] = (mutants[mutant] ?? 0) + count;
    }
    this.#counts.fill(0);
  }
}

/** Rounded up to a power of two, so that most mutants have the same tests in the next run. */
function withRoundedTime({ id, fileName, timeSpentMs }) {
  return { id, fileName, ms: 2 ** Math.ceil(Math.log2(Math.max(1, timeSpentMs))) };
}
