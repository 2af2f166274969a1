// Which mutants each test executes.
import { setEnvironmentData } from 'node:worker_threads';
import { countIn, executedMutants, newCounts, threadCountsKey } from './mutationProcess.mjs';

/** A quarter of all mutants may run their tests to the end within this time: 45 minutes on two cores. */
const quarterMs = 2 * 45 * 60_000;
const longestMs = 5_000;
/** Stryker stores the tests of each mutant. */
const maxTests = 150;

/** How often mutants were executed. @typedef {{ mutants: Uint32Array, counts: Uint32Array }} Executions */
/** @typedef {{ id: string, fileName: string, timeSpentMs: number }} TimedTest */

export class MutationCoverage {
  #counts = newCounts();
  #threadCounts = newCounts();
  /** @type {Record<string, number>} */
  #loaded = {};
  /** By test, or by test file. @type {Map<string, Executions[]>} */
  #executed = new Map();
  #owner = '';

  constructor() {
    countIn(this.#counts);
    setEnvironmentData(threadCountsKey, this.#threadCounts);
  }

  /** The code until now ran because modules were loaded. */
  endLoading() {
    this.#loaded = Object.fromEntries(sumExecutions([take(this.#counts)]));
  }

  /** The code from now on belongs to this test, or to all tests of this test file. @param {string} owner */
  startOwner(owner) {
    this.#add(this.#owner, take(this.#counts));
    this.#owner = owner;
  }

  /**
   * Code in threads and child processes belongs to all tests of the file.
   *
   * @param {string} file
   * @param {readonly number[]} inChildProcesses mutants
   */
  endFile(file, inChildProcesses) {
    this.startOwner('');
    const { mutants } = take(this.#threadCounts);
    // A thread loads its modules again, but the other tests of a mutant in a constant do not.
    const others = [...mutants, ...inChildProcesses].filter((mutant) => !(mutant in this.#loaded));
    this.#add(file, { mutants: Uint32Array.from(others), counts: Uint32Array.from(others, () => 1) });
  }

  end() {
    countIn(newCounts());
    setEnvironmentData(threadCountsKey, undefined);
  }

  /**
   * The tests of each mutant, so few that the run of a large folder ends within an hour: first those near the
   * folder, and the fastest of them.
   *
   * @param {readonly TimedTest[]} tests
   * @param {ReadonlySet<string>} nearFiles
   * @returns {import('@stryker-mutator/api/core').MutantCoverage}
   */
  ofTests(tests, nearFiles) {
    const executed = new Set();
    for (const { mutants } of [...this.#executed.values()].flat())
      for (const mutant of mutants) executed.add(mutant);
    const maxMs = Math.min(longestMs, (4 * quarterMs) / Math.max(1, executed.size));
    /** @type {Record<string, Record<string, number>>} */
    const perTest = {};
    const { length } = this.#counts;
    const chosen = { ms: new Float64Array(length), tests: new Uint32Array(length) };
    const rank = ({ fileName, ms }) => (nearFiles.has(fileName) ? 0 : 1_000_000) + ms;
    const ordered = tests.map(withRoundedTime).sort((one, other) => rank(one) - rank(other));
    for (const { id, fileName, ms } of ordered) {
      const counts = perTest[id] ?? {};
      const executions = [...(this.#executed.get(fileName) ?? []), ...(this.#executed.get(id) ?? [])];
      for (const [mutant, count] of sumExecutions(executions)) {
        const [spent = 0, number = 0] = [chosen.ms[mutant], chosen.tests[mutant]];
        if (number > 0 && (spent + ms > maxMs || number >= maxTests)) continue;
        chosen.ms[mutant] = spent + ms;
        chosen.tests[mutant] = number + 1;
        counts[mutant] = count;
      }
      perTest[id] = counts;
    }
    return { static: this.#loaded, perTest };
  }

  /**
   * @param {string} owner
   * @param {Executions} executions
   */
  #add(owner, executions) {
    const known = this.#executed.get(owner);
    if (known) known.push(executions);
    else this.#executed.set(owner, [executions]);
  }
}

/** Reads the counts and begins again at 0. @param {Uint32Array} all by mutant @returns {Executions} */
function take(all) {
  const mutants = Uint32Array.from(executedMutants(all));
  const counts = mutants.map((mutant) => all[mutant] ?? 0);
  all.fill(0);
  return { mutants, counts };
}

/** Each executed mutant with its count. @param {readonly Executions[]} executions */
function sumExecutions(executions) {
  /** @type {Map<number, number>} */
  const pairs = new Map();
  for (const { mutants, counts } of executions) {
    mutants.forEach((mutant, place) => {
      pairs.set(mutant, (pairs.get(mutant) ?? 0) + (counts[place] ?? 0));
    });
  }
  return pairs;
}

/** Rounded up to a power of two, so that most mutants have the same tests in the next run. */
function withRoundedTime({ id, fileName, timeSpentMs }) {
  return { id, fileName, ms: 2 ** Math.ceil(Math.log2(Math.max(1, timeSpentMs))) };
}
