// The parts of `npm test`. Each installs what it needs, prints what it finds, and returns its counts.
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { countsIn, runHostTests } from './hostTests.mjs';
import { packageExtension } from './package.mjs';
import { runHere } from './processes.mjs';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { installSdks } from './sdkInstall.mjs';
import { installServer, workFolder } from './vscodeInstall.mjs';

/** @typedef {{ passed: number, failed: number }} Counts */
/**
 * Which tests; no files means all. `long` adds the files named `*.long.test.ts`, and the full number of runs.
 *
 * @typedef {{ files: string[], grep: string | undefined, long: boolean }} Selection
 */

const home = fileURLToPath(root);

/** The host tests that also run against the installed package. */
const packageTests = 'smoke.test.js';

/** In the order in which they run: the quickest to tell comes first. */
export const parts = { types, lint, unit, contract, host, ui };

async function types() {
  await step('Client libraries', installSdks);
  const below = globSync('{src,test,scripts}/**/tsconfig.json', { cwd: home, exclude: isInstalled });
  const configs = ['tsconfig.json', ...below];
  const codes = [];
  for (const config of configs) {
    codes.push(
      await runHere(process.execPath, ['node_modules/typescript/bin/tsc', '-p', config, '--noEmit'], {
        cwd: home,
      }),
    );
  }
  return check(codes.every((code) => code === 0));
}

function isInstalled(path) {
  return path.endsWith('node_modules');
}

async function lint() {
  const args = ['node_modules/@biomejs/biome/bin/biome', 'check', '.'];
  return check((await runHere(process.execPath, args, { cwd: home })) === 0);
}

function check(ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function unit(selection) {
  return mocha('unit', selection, { timeoutMs: 5_000 });
}

async function contract(selection) {
  await step('Building', () => build());
  await step('Client libraries', installSdks);
  return mocha('contract', selection, { timeoutMs: 20_000 });
}

async function host({ files, grep }) {
  const chromium = await browserAndServer({ tests: true });
  const own = files.filter((file) => file.startsWith('test/host/'));
  const bundled = own.map((file) => file.replace('test/host/', '').replace(/ts$/, 'js'));
  const fromFolder = await runHostTests({ chromium, grep, files: bundled });
  if (grep || files.length) return fromFolder;
  const vsix = await step('Packaging', packageExtension);
  const installed = await runHostTests({ chromium, vsix, files: [packageTests] });
  return { passed: fromFolder.passed + installed.passed, failed: fromFolder.failed + installed.failed };
}

async function ui(selection) {
  const chromium = await browserAndServer();
  return mocha('ui', selection, { timeoutMs: 60_000, env: { CHROMIUM: chromium } });
}

async function browserAndServer({ tests = false } = {}) {
  await step('Building', () => build({ tests }));
  await step('VS Code’s server', installServer);
  return step('Chromium', findChromium);
}

/**
 * Runs one folder of tests under this Node.
 *
 * @param {string} part
 * @param {Selection} selection
 * @param {{ timeoutMs: number, env?: Record<string, string> }} options
 * @returns {Promise<Counts>}
 */
async function mocha(part, { files, grep, long }, { timeoutMs, env = {} }) {
  const own = files.filter((file) => file.startsWith(`test/${part}/`));
  const counts = join(workFolder, 'counts', `${part}.json`);
  await rm(counts, { force: true });
  await mkdir(dirname(counts), { recursive: true });
  const args = [
    'node_modules/mocha/bin/mocha.js',
    ...['--reporter', 'scripts/mochaReporter.cjs', '--timeout', String(timeoutMs), '--forbid-only'],
    ...(grep ? ['--grep', grep] : []),
    ...(own.length ? own : [`test/${part}/**/*.test.ts`]),
    ...(own.length || long ? [] : ['--ignore', '**/*.long.test.ts']),
  ];
  const code = await runHere(process.execPath, args, {
    cwd: home,
    env: {
      ...process.env,
      ...env,
      MODEL_GATEWAY_TEST_COUNTS: counts,
      ...(long && { MODEL_GATEWAY_LONG: '1' }),
    },
  });
  const result = countsIn(counts, '');
  // Mocha also fails without a failed test: when there are no tests, or when something throws after them.
  return code !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result;
}
