// A plugin of Stryker that runs the tests of a mutant with Mocha. Stryker's own plugin cannot load Mocha 12,
// and it loads a test file once for all mutants. A test that creates a folder in `describe` and deletes it in
// `after` then fails for all mutants except the first, and Stryker reports mutants as killed that no test
// detects.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';
import { MutationCoverage } from './mutationCoverage.mjs';
import { coverageFileVariable, shared } from './mutationProcess.mjs';

/** @typedef {import('@stryker-mutator/api/test-runner').TestResult} TestResult */
/** @typedef {import('@stryker-mutator/api/test-runner').MutantRunOptions} MutantRunOptions */
/** @typedef {TestResult & { fileName: string, isTimeout?: boolean }} FileTestResult */
/**
 * @typedef {object} TestFile
 * @property {string} file
 * @property {readonly string[]} reached the changed files that it imports
 * @property {boolean} isNear whether it is in the folder of test/unit that belongs to the changed folder
 */
/**
 * @typedef {object} FileRun
 * @property {ReadonlySet<string>} [wanted] IDs of tests
 * @property {ReadonlyMap<string, number>} [timeouts] by ID
 * @property {(id: string) => void} [onOwner] called when the next code belongs to this test or test file
 */

const { ACTIVE_MUTANT_ENV_VARIABLE: activeMutantVariable } = INSTRUMENTER_CONSTANTS;

// In the copy of the project, which is the working folder as soon as the runner is created.
const resultsFile = 'mutation-results.json';
const coverageFile = 'mutation-coverage.txt';

/** Set for all test runners together, and then for each. Read by test/support/databaseFolder.ts. */
const testFolderVariable = 'MODEL_GATEWAY_TEST_FOLDER';

/** Some tests replace `performance.now`. */
const now = performance.now.bind(performance);

/** How long the tests of a mutant in a constant may take. Which tests depend on it is not known. */
const maxStaticMs = 3_000;
const dryRunTimeoutMs = 20_000;
const hookTimeoutMs = 5_000;

/** Each load of a test file needs about 0.7 MB, which are not freed. */
const maxLoads = 1_500;

/** Selects tests by their IDs. A regular expression of a thousand titles would be slow. */
class TestSelection extends RegExp {
  #file;
  #ids;

  /**
   * @param {string} file
   * @param {ReadonlySet<string>} ids
   */
  constructor(file, ids) {
    super('');
    this.#file = file;
    this.#ids = ids;
  }

  /**
   * @override
   * @param {string} title
   */
  test(title) {
    return this.#ids.has(toId(this.#file, title));
  }
}

/** Prints nothing. */
class Silent extends Mocha.reporters.Base {}

class MutationRunner {
  static inject = tokens(commonTokens.options);
  /** @type {readonly TestFile[]} */
  #testFiles;
  /** For the tests that cannot run with changed code. */
  #failuresFile;
  /** @type {readonly FileTestResult[]} */
  #results = [];
  /** For the files of the tests of this process. */
  #folder = join(process.env[testFolderVariable] ?? tmpdir(), String(process.pid));
  #loads = 0;
  #runs = 0;
  #uncaught = 0;
  /** Whether the code of an earlier mutant may still be running. */
  #isSpoiled = false;

  /** @param {import('@stryker-mutator/api/core').StrykerOptions} options */
  constructor({ filesOfTests, failuresFile }) {
    this.#testFiles = /** @type {readonly TestFile[]} */ (filesOfTests);
    this.#failuresFile = /** @type {string} */ (failuresFile);
    process.on('uncaughtException', () => {
      this.#uncaught++;
    });
  }

  capabilities() {
    // A module of src/ that was imported cannot be imported again.
    return { reloadEnvironment: false };
  }

  async init() {
    removeFoldersOfEnded(this.#folder);
    mkdirSync(this.#folder, { recursive: true });
    for (const name of [testFolderVariable, 'TMPDIR', 'TEMP', 'TMP']) process.env[name] = this.#folder;
    const preload = new URL('mutationProcess.mjs', import.meta.url);
    process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${preload.href}`;
    await import(pathToFileURL(resolve('test/support/seed.ts')).href);
  }

  /**
   * Runs all tests twice: with the counts of executions, then without them for the durations.
   *
   * @returns {Promise<import('@stryker-mutator/api/test-runner').DryRunResult>}
   */
  async dryRun() {
    const started = now();
    const coverage = new MutationCoverage();
    // Code that runs when a module is loaded belongs to no test.
    for (const { file } of this.#testFiles) await this.#load(file);
    coverage.endLoading();
    const counted = await this.#runCounted(coverage);
    const timed = [];
    for (const { file } of this.#testFiles) timed.push(...(await this.#runFile(file)));
    // A test that reads the code as text fails with the changed code.
    const failed = new Set([...counted, ...timed].filter(isFailed).map(({ id }) => id));
    if (failed.size > timed.length / 10) return { status: DryRunStatus.Complete, tests: counted };
    writeFileSync(this.#failuresFile, [...failed].join('\n'));
    const tests = timed.filter(({ id }) => !failed.has(id));
    writeFileSync(resultsFile, JSON.stringify(tests));
    const near = new Set(this.#testFiles.filter(({ isNear }) => isNear).map(({ file }) => file));
    // Stryker adds the time that belongs to no test to the time limit of every mutant.
    const rest = loading(now() - started - total(tests));
    return {
      status: DryRunStatus.Complete,
      tests: [...tests, rest],
      mutantCoverage: coverage.ofTests(tests, near),
    };
  }

  /** @param {MutantRunOptions} options */
  async mutantRun(options) {
    // Stryker repeats a run that throws, in another process.
    if (this.#isSpoiled || this.#loads > maxLoads) throw new Error('This process cannot run more mutants.');
    this.#runs++;
    const uncaught = this.#uncaught;
    const result = await this.#runMutant(options);
    remove(this.#folder);
    mkdirSync(this.#folder, { recursive: true });
    this.#isSpoiled = this.#uncaught > uncaught || result.status === MutantRunStatus.Timeout;
    if (this.#uncaught > uncaught && this.#runs > 1) throw new Error('An earlier mutant may have failed.');
    return result;
  }

  /** @param {MutantRunOptions} options */
  async #runMutant({ activeMutant, testFilter, sandboxFileName, hitLimit }) {
    shared.hitLimit = hitLimit;
    shared.hitCount = hitLimit === undefined ? undefined : 0;
    shared.activeMutant = activeMutant.id;
    process.env[activeMutantVariable] = activeMutant.id;
    if (this.#results.length === 0) this.#results = JSON.parse(readFileSync(resultsFile, 'utf8'));
    const chosen = testFilter ? this.#withIds(testFilter) : this.#reaching(relative('', sandboxFileName));
    const selectedIds = new Set(chosen.map(({ id }) => id));
    const timeouts = new Map(chosen.map(({ id, timeSpentMs }) => [id, 1_500 + 5 * timeSpentMs]));
    /** @type {FileTestResult[]} */
    const tests = [];
    for (const file of listFiles(chosen)) {
      tests.push(
        ...(await this.#runFile(file, { wanted: selectedIds, timeouts }).catch((error) => [
          failedLoad(file, error),
        ])),
      );
      const timeout = determineHitLimitReached(shared.hitCount, shared.hitLimit);
      if (timeout) return toMutantRunResult(timeout);
      const failed = tests.find(isFailed);
      if (failed?.isTimeout) return toMutantRunResult({ status: DryRunStatus.Timeout });
      if (failed) break;
    }
    if (tests.length === 0) throw new Error('No test ran.');
    return toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  /** @param {readonly string[]} ids */
  #withIds(ids) {
    const selected = new Set(ids);
    return this.#results.filter(({ id }) => selected.has(id));
  }

  /** The fastest tests of the files that import a changed file. @param {string} changed */
  #reaching(changed) {
    const files = this.#testFiles.filter(({ reached }) => reached.includes(changed)).map(({ file }) => file);
    let remainingMs = maxStaticMs;
    return this.#results
      .filter(({ fileName }) => files.includes(fileName))
      .toSorted(byDuration)
      .filter(({ timeSpentMs }) => {
        remainingMs -= timeSpentMs;
        return remainingMs > 0;
      });
  }

  /** @param {MutationCoverage} coverage */
  async #runCounted(coverage) {
    process.env[coverageFileVariable] = resolve(coverageFile);
    const tests = [];
    for (const { file } of this.#testFiles) {
      writeFileSync(coverageFile, '');
      coverage.startOwner(file);
      tests.push(...(await this.#runFile(file, { onOwner: (owner) => coverage.startOwner(owner) })));
      const lines = readFileSync(coverageFile, 'utf8').split('\n').filter(Boolean);
      coverage.endFile(file, lines.map(Number));
    }
    delete process.env[coverageFileVariable];
    coverage.end();
    return tests;
  }

  /**
   * Runs a test file, or the wanted tests of it until the first failure.
   *
   * @param {string} file
   * @param {FileRun} [options]
   * @returns {Promise<FileTestResult[]>}
   */
  async #runFile(file, { wanted, timeouts, onOwner } = {}) {
    const mocha = await this.#load(file, wanted !== undefined);
    if (wanted) mocha.grep(new TestSelection(file, wanted));
    mocha.suite.eachTest((test) => {
      test.timeout(timeouts?.get(toId(file, test.fullTitle())) ?? dryRunTimeoutMs);
    });
    /** @type {FileTestResult[]} */
    const tests = [];
    let since = now();
    await new Promise((done) => {
      const runner = mocha.run(done);
      const add = (test, result) => {
        const name = test.fullTitle();
        const timeSpentMs = Math.ceil(now() - since);
        since = now();
        tests.push({ id: toId(file, name), name, fileName: file, timeSpentMs, ...result });
      };
      runner.on('test', (test) => onOwner?.(toId(file, test.fullTitle())));
      runner.on('hook', ({ title }) => {
        if (/^"(?:before|after) all"/.test(title)) onOwner?.(file);
      });
      runner.on('pass', (test) => add(test, { status: TestStatus.Success }));
      runner.on('fail', (failed, error) => {
        const failureMessage = String(error?.stack ?? error);
        const isTimeout = error?.code === 'ERR_MOCHA_TIMEOUT';
        if (isTimeout) runner.abort();
        add(failed.ctx?.currentTest ?? failed, { status: TestStatus.Failed, failureMessage, isTimeout });
      });
    });
    mocha.dispose();
    return tests;
  }

  /** Loads a test file again, but not the modules that it imports. @param {string} file */
  async #load(file, bail = false) {
    const path = resolve(file);
    const mocha = new Mocha({ bail, timeout: hookTimeoutMs, reporter: Silent });
    const { constants } = Mocha.Suite;
    mocha.suite.emit(constants.EVENT_FILE_PRE_REQUIRE, globalThis, path, mocha);
    this.#loads++;
    const module = await import(`${pathToFileURL(path).href}?load=${this.#loads}`);
    mocha.suite.emit(constants.EVENT_FILE_REQUIRE, module, path, mocha);
    mocha.suite.emit(constants.EVENT_FILE_POST_REQUIRE, globalThis, path, mocha);
    return mocha;
  }
}

/** Removes the folders of earlier processes, which were ended by force. @param {string} own */
function removeFoldersOfEnded(own) {
  const all = dirname(own);
  if (!existsSync(all)) return;
  for (const name of readdirSync(all).filter((pid) => /^\d+$/.test(pid) && !isRunning(Number(pid)))) {
    remove(join(all, name));
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {string} folder */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A disk that a test mounted there remains.
  }
}

/** The files of these tests, the fastest first, because fast tests detect most mutants. */
function listFiles(tests) {
  /** @type {Map<string, number>} */
  const durations = new Map();
  for (const { fileName, timeSpentMs } of tests) {
    durations.set(fileName, (durations.get(fileName) ?? 0) + timeSpentMs);
  }
  return [...durations].sort(([, one], [, other]) => one - other).map(([file]) => file);
}

/** Two test files may have tests with the same title. */
function toId(file, title) {
  return `${file}: ${title}`;
}

function isFailed({ status }) {
  return status === TestStatus.Failed;
}

function byDuration(one, other) {
  return one.timeSpentMs - other.timeSpentMs;
}

function total(tests) {
  return tests.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0);
}

/** A changed constant can prevent that a module is loaded. @returns {FileTestResult} */
function failedLoad(file, error) {
  const failureMessage = String(error?.stack ?? error);
  return { id: file, name: file, fileName: file, timeSpentMs: 0, status: TestStatus.Failed, failureMessage };
}

/** @returns {TestResult} */
function loading(timeSpentMs) {
  const name = '(loads the modules and counts executions)';
  return { id: name, name, status: TestStatus.Skipped, timeSpentMs: Math.max(0, Math.ceil(timeSpentMs)) };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'reloading-mocha', MutationRunner)];
