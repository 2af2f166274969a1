// The parts of `npm test`. Each installs its dependencies, prints its results, and returns its counts.
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { commentsArePlain } from './commentWords.mjs';
import { packageExtension } from './package.mjs';
import { runHere } from './processes.mjs';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { installPrograms, installSdks } from './sdkInstall.mjs';
import { splitIntoLanes } from './testLanes.mjs';
import { installServer, workFolder } from './vscodeInstall.mjs';
import { countsIn, ownNetwork, runWindowTests, testEnvironment } from './windowTests.mjs';

/** `failures` has the title of each failed test, followed by the cause. @typedef {{ passed: number, failed: number, failures: string[] }} Counts */
/**
 * The selected tests; an empty list of files selects all. `long` adds the files named `*.long.test.ts`, and the
 * full number of runs; `seed` is the seed of random runs.
 *
 * @typedef {{ files: string[], grep: string | undefined, long: boolean, seed: string }} Selection
 */

/** @typedef {import('./testLanes.mjs').TestFiles} TestFiles */
/**
 * `modules` are loaded before the tests.
 *
 * @typedef {{ timeoutMs: number, env?: Record<string, string>, modules?: string[], heldBack?: boolean }} MochaOptions
 */

const home = fileURLToPath(root);

/** The tests that also run against the installed package. */
const packageTests = 'window/smoke.test.js';

/** The tests that run with VS Code and with its stand-in, so that both behave alike. */
const standInTests = 'test/window/vscodeApi.test.ts';

/** Loaded before the host tests. */
export const standInForVscode = 'test/support/vscode/register.ts';

/** Host tests of local desktop windows. The test window runs in a browser, so only the stand-in can run them. */
export const standInOnly = ['test/host/newChats.test.ts'];

/** The contract tests that run other programs. */
const programTests = 'test/contract/programs.long.test.ts';

/** How long one test may take, by the folder below test/, in milliseconds. */
export const testLimitsMs = { unit: 20_000, contract: 40_000, host: 60_000, ui: 150_000 };

/** Tests in long form have larger inputs and more runs. */
const longFactor = 5;

const installed = {
  sdks: once(() => installSdks()),
  server: once(() => installServer()),
  chromium: once(() => findChromium()),
};

/** Starts the downloads of these parts, which then run during the first of them. @param {readonly string[]} wanted */
export function startDownloads(wanted) {
  const has = (...names) => names.some((name) => wanted.includes(name));
  const started = [
    // Only if the first part waits for them: unit tests must not find half of a package.
    ...(has('types') ? [installed.sdks()] : []),
    ...(has('window', 'ui') ? [installed.server(), installed.chromium()] : []),
  ];
  // The parts that need them report their errors.
  for (const each of started) each.catch(() => undefined);
}

/** @template T @param {() => Promise<T>} run @returns {() => Promise<T>} a function that runs it only once */
function once(run) {
  /** @type {Promise<T> | undefined} */
  let result;
  return () => {
    result ??= run();
    return result;
  };
}

/** In the order of execution: the fastest part is first. */
export const parts = { types, lint, unit, contract, host, window, ui };

async function types() {
  await step('Client libraries', installed.sdks);
  const below = globSync('{src,test,scripts}/**/tsconfig.json', { cwd: home, exclude: isInstalled });
  const configs = ['tsconfig.json', ...below];
  /** @type {number[]} */
  const codes = [];
  // One of these processes does not use more than one core.
  const checkTypes = async () => {
    for (let config = configs.shift(); config; config = configs.shift()) {
      const args = ['node_modules/typescript/bin/tsc', '-p', config, '--noEmit'];
      codes.push(await runHere(process.execPath, args, { cwd: home }));
    }
  };
  await Promise.all([checkTypes(), checkTypes()]);
  return toCounts(
    codes.every((code) => code === 0),
    'types',
  );
}

function isInstalled(path) {
  return path.endsWith('node_modules');
}

async function lint() {
  const args = ['node_modules/@biomejs/biome/bin/biome', 'check', '.'];
  const isClean = (await runHere(process.execPath, args, { cwd: home })) === 0;
  return toCounts(commentsArePlain() && isClean, 'lint');
}

/** @returns {Counts} */
function toCounts(ok, name) {
  return ok ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [name] };
}

async function unit(selection) {
  return sideBySide(splitIntoLanes('unit', listFiles('unit', selection)), selection, {
    timeoutMs: testLimitsMs.unit,
  });
}

async function contract(selection) {
  await buildOnce();
  await step('Client libraries', installed.sdks);
  if (runsPrograms(selection)) await step('Command-line programs', installPrograms);
  return sideBySide(splitIntoLanes('contract', listFiles('contract', selection), 4), selection, {
    timeoutMs: testLimitsMs.contract,
  });
}

/** @param {Selection} selection */
function runsPrograms({ files, long }) {
  return files.length === 0 ? long : files.includes(programTests);
}

/**
 * The extension with a stand-in for the module `vscode`. `--long` runs these tests in a window, too.
 *
 * @param {Selection} selection
 */
async function host(selection) {
  await buildOnce();
  const files = listFiles('host', selection);
  if (selection.files.length === 0) files.push(standInTests);
  const lanes = splitIntoLanes('host', files, 4);
  const counts = await Promise.all(
    lanes.map(async (lane, place) => {
      // Outside this repository, where git would ignore every file.
      const folder = await mkdtemp(join(tmpdir(), 'model-gateway-'));
      const workspace = join(folder, 'workspace');
      await mkdir(workspace);
      const env = {
        ...testEnvironment({ data: join(folder, 'data') }, {}),
        ...(await ownNetwork(folder)),
        MODEL_GATEWAY_TEST_WORKSPACE: workspace,
      };
      const modules = [standInForVscode];
      const options = { timeoutMs: testLimitsMs.host, env, modules, heldBack: place > 0 };
      return mocha(lane, selection, options).finally(() => rm(folder, { recursive: true }));
    }),
  );
  return sum(counts);
}

/** @param {Selection} selection */
async function window(selection) {
  const chromium = await browserAndServer();
  const { files, grep, long } = selection;
  const hostFiles = long ? listFiles('host', selection).filter((file) => !standInOnly.includes(file)) : [];
  const all = [...listFiles('window', selection), ...hostFiles];
  const bundled = splitIntoLanes('folder', all).map(({ name, files: half }, place) => ({
    name,
    chromium,
    grep,
    heldBack: place > 0,
    files: half.map((file) => file.replace('test/', '').replace(/ts$/, 'js')),
  }));
  const fromFolder = await Promise.all(bundled.map(runWindowTests));
  if (grep || files.length) return sum(fromFolder);
  const vsix = await step('Packaging', packageExtension);
  const installed = await runWindowTests({ name: 'package', chromium, vsix, files: [packageTests] });
  return sum([...fromFolder, installed]);
}

/**
 * Three parallel runs. They use both cores of a small machine; with more, VS Code becomes slow.
 *
 * @param {Selection} selection
 */
async function ui(selection) {
  const chromium = await browserAndServer();
  const lanes = splitIntoLanes('ui', listFiles('ui', selection), 3);
  return sideBySide(lanes, selection, { timeoutMs: testLimitsMs.ui, env: { CHROMIUM: chromium } });
}

/**
 * The selected test files below the folder, or all of them.
 *
 * @param {string} folder below test/
 * @param {Selection} selection
 */
function listFiles(folder, { files, long }) {
  if (files.length > 0) return filesIn(files, folder);
  const exclude = long ? [] : ['**/*.long.test.ts'];
  return globSync(`test/${folder}/**/*.test.ts`, { cwd: home, exclude }).toSorted();
}

function filesIn(files, folder) {
  return files.filter((file) => file.startsWith(`test/${folder}/`));
}

/** @param {readonly Counts[]} counts */
export function sum(counts) {
  return {
    passed: counts.reduce((total, { passed }) => total + passed, 0),
    failed: counts.reduce((total, { failed }) => total + failed, 0),
    failures: counts.flatMap(({ failures }) => failures),
  };
}

async function browserAndServer() {
  await buildOnce();
  await step('VS Code’s server', installed.server);
  return step('Chromium', installed.chromium);
}

/** Compiled once for all parts. */
const buildOnce = once(() => step('Building', () => build({ tests: true })));

/**
 * Runs tests in parallel, which helps where they wait most of the time. The output of all runs except the first is
 * printed when each has ended.
 *
 * @param {readonly TestFiles[]} all
 * @param {Selection} selection
 * @param {MochaOptions} options
 */
async function sideBySide(all, selection, options) {
  const counts = await Promise.all(
    all.map((each, place) => mocha(each, selection, { ...options, heldBack: place > 0 })),
  );
  return sum(counts);
}

/**
 * The arguments of Node that run tests from the project's folder.
 *
 * @param {readonly string[]} files
 * @param {{ grep?: string | undefined, timeoutMs: number, modules?: readonly string[] }} options
 * @returns {readonly string[]}
 */
export function mochaArguments(files, { grep, timeoutMs, modules = [] }) {
  return [
    'node_modules/mocha/bin/mocha.js',
    '--reporter',
    'scripts/mochaReporter.cjs',
    '--timeout',
    String(timeoutMs),
    '--forbid-only',
    ...['test/support/seed.ts', ...modules].flatMap((module) => ['--require', module]),
    ...(grep ? ['--grep', grep] : []),
    ...files,
  ];
}

/**
 * Runs tests under this Node.
 *
 * @param {TestFiles} tests
 * @param {Selection} selection
 * @param {MochaOptions} options
 * @returns {Promise<Counts>}
 */
async function mocha(
  { name, files },
  { grep, long, seed, files: named },
  { timeoutMs, env = {}, modules = [], heldBack = false },
) {
  const counts = join(workFolder, 'counts', `${name}.json`);
  await rm(counts, { force: true });
  await mkdir(dirname(counts), { recursive: true });
  const color = heldBack && process.stdout.isTTY ? ['--color'] : [];
  const limitMs = long ? longFactor * timeoutMs : timeoutMs;
  const args = [...mochaArguments(files, { grep, timeoutMs: limitMs, modules }), ...color];
  const code = await runHere(process.execPath, args, {
    cwd: home,
    heldBack,
    env: {
      ...process.env,
      ...env,
      // The local gateway and the files of tests are compiled once, not for each process.
      NODE_COMPILE_CACHE: join(workFolder, 'compile-cache'),
      MODEL_GATEWAY_TEST_COUNTS: counts,
      MODEL_GATEWAY_SEED: seed,
      ...(long && { MODEL_GATEWAY_LONG: '1' }),
      // Screenshots take time and are only needed for review.
      ...((long || named.length > 0) && { MODEL_GATEWAY_PICTURES: '1' }),
    },
  });
  const result = countsIn(counts, '');
  // Mocha also fails without a failed test: if there are no tests, or if an exception is thrown after them.
  return code !== 0 && result.failed === 0
    ? { ...result, failed: 1, failures: [`${name}: mocha ended with ${code}`] }
    : result;
}
