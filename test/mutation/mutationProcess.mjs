// Prepares a process or a thread for mutated code. The test runner imports this; the threads and child processes of a
// test load it by NODE_OPTIONS.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';

/** The file for the mutants that are executed in threads and child processes, and the test file that started them. */
export const coverageFileVariable = 'MODEL_GATEWAY_COVERAGE_FILE';
export const testFileVariable = 'MODEL_GATEWAY_COVERAGE_TEST';

/**
 * The state that the mutated code shares with its test runner. `counts` is not Stryker's.
 *
 * @type {import('@stryker-mutator/api/core').InstrumenterContext & { counts?: Uint32Array | Record<number, number> }}
 */
export const shared = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ?? {};
globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] = shared;

// Stryker's code that counts executions makes some loops 80 times slower, also while no counts are needed.
const counting = /function stryCov_9fa48\(\) \{.*?(?=function stryMutAct_9fa48)/s;
const fasterCounting = `function stryCov_9fa48(...mutants) {
  const { counts } = stryNS_9fa48();
  if (counts) for (let at = 0; at < mutants.length; at++) counts[mutants[at]]++;
}
`;
const countedMutants = /(?<=\bstryCov_9fa48\()"\d+"(?:, "\d+")*(?=\))/g;

registerHooks({
  load(url, context, nextLoad) {
    const module = nextLoad(url, context);
    if (!url.includes('/src/') || !url.endsWith('.ts')) return module;
    const source = String(module.source)
      .replace(counting, fasterCounting)
      .replace(countedMutants, (mutants) => mutants.replaceAll('"', ''));
    return { ...module, source };
  },
});

const { [coverageFileVariable]: coverageFile, [testFileVariable]: testFile } = process.env;
if (coverageFile) {
  // A thread can be terminated at any time, so each mutant is reported as soon as its code is executed.
  shared.counts = new Proxy(/** @type {Record<number, number>} */ ({}), {
    get: () => 0,
    set(reported, mutant) {
      if (!(mutant in reported)) appendFileSync(coverageFile, `${testFile}\t${String(mutant)}\n`);
      return Reflect.set(reported, mutant, 1);
    },
  });
}
