// Prepares a process or a thread for mutated code. The test runner imports this; the threads and child
// processes of a test load it by NODE_OPTIONS.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';

/** The file for the mutants that child processes execute, one on each line. */
export const coverageFileVariable = 'MODEL_GATEWAY_COVERAGE_FILE';

/** The environment data of a thread with the counts of its process. */
export const threadCountsKey = 'counts of mutants';

/** More than the number of mutants of a folder. */
const maxMutants = 1 << 16;

/**
 * The state that the mutated code shares with its test runner.
 *
 * @type {import('@stryker-mutator/api/core').InstrumenterContext}
 */
export const shared = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ?? {};
globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] = shared;

// Stryker counts executions by calls that make some loops 80 times slower, also while no counts are needed.
const countingCall = /\bstryCov_9fa48\(("\d+"(?:, "\d+")*)\)/g;

registerHooks({
  load(url, context, nextLoad) {
    const module = nextLoad(url, context);
    if (!url.includes('/src/') || !url.endsWith('.ts')) return module;
    const source = String(module.source).replace(countingCall, (_, mutants) => `(${countInMemory(mutants)})`);
    return { ...module, source };
  },
});

/** @param {string} mutants numbers in quotes */
function countInMemory(mutants) {
  return mutants.replaceAll(/"(\d+)"/g, 'mutantCounts[$1]++');
}

/** Mutated code of this thread counts its executions here from now on. @param {Uint32Array} counts by mutant */
export function countIn(counts) {
  globalThis.mutantCounts = counts;
}

/** Shared with the threads of the process, so that a thread can be terminated at any time. */
export function newCounts() {
  return new Uint32Array(new SharedArrayBuffer(4 * maxMutants));
}

/** @param {Uint32Array} counts by mutant */
export function executedMutants(counts) {
  const mutants = [];
  for (let mutant = 0; mutant < maxMutants; mutant++) if (counts[mutant]) mutants.push(mutant);
  return mutants;
}

const coverageFile = process.env[coverageFileVariable];
const ofProcess = /** @type {Uint32Array | undefined} */ (getEnvironmentData(threadCountsKey));
countIn(ofProcess ?? newCounts());
if (coverageFile && isMainThread) countInChildProcess(coverageFile);

/** Reports executed mutants often, because a test may end the process by force. @param {string} file */
function countInChildProcess(file) {
  const counts = newCounts();
  const reported = new Set();
  const report = () => {
    const mutants = executedMutants(counts).filter((mutant) => !reported.has(mutant));
    for (const mutant of mutants) reported.add(mutant);
    if (mutants.length > 0) appendFileSync(file, mutants.map((mutant) => `${mutant}\n`).join(''));
  };
  countIn(counts);
  setEnvironmentData(threadCountsKey, counts);
  setInterval(report, 100).unref();
  process.on('exit', report);
}
