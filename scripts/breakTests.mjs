// `npm run test:breaks [-- P5 P6]`: applies each wrong patch of test/breaks, or those of the named promises,
// to a copy of the project, and runs the tests that must fail then. Fails if no test notices a patch.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, link, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findChromium } from './chromium.mjs';
import { killGroup, startGroup } from './processes.mjs';
import { Advice, step } from './progress.mjs';
import { root } from './root.mjs';
import { underPinnedNode } from './setup.mjs';
import { installServer, serverFolder, workFolder } from './vscodeInstall.mjs';

/** @typedef {import('../test/breaks/wrongPatch.ts').WrongPatch} WrongPatch */
/** @typedef {Pick<WrongPatch, 'tests' | 'grep'>} Selection tests that run together */

const home = fileURLToPath(root);

/** Below the project's folder, so that they are on the same disk as its packages. */
const copies = ['0', '1'].map((name) => join(workFolder, 'breaks', name));

/** Large or generated. The copies get their own links to the packages. */
const notCopied = new Set(['.git', '.vscode-test', 'node_modules', 'dist', 'dist-test']);

/** A wrong patch may make a program hang in a way that the time limits of tests cannot end. */
const limitMinutes = 5;

await underPinnedNode(import.meta.url, async () => {
  const { wrongPatches } = await import('../test/breaks/wrongPatches.ts');
  const patches = selectPatches(wrongPatches, process.argv.slice(2));
  const env = await prepareBrowser(patches);
  await step('Copying the project', () => Promise.all(copies.map(copyProject)));
  const unusable = await failuresWithoutPatch(patches, env);
  const problems = [...unusable.values()];
  await inCopies(patches, async (copy, patch) => {
    if (unusable.has(toKey(patch))) return;
    const problem = await findProblem(copy, patch, env);
    if (problem !== undefined) problems.push(problem);
  });
  if (problems.length > 0) console.log(`\nNot noticed:\n${problems.map((text) => `  ${text}`).join('\n')}`);
  console.log(`\n${patches.length} wrong patches, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
});

/**
 * @param {readonly WrongPatch[]} all
 * @param {readonly string[]} promises codes of promises; none for all
 */
function selectPatches(all, promises) {
  const unknown = promises.find((code) => !all.some(({ promise }) => promise === code));
  if (unknown) throw new Advice(`There are no wrong patches for “${unknown}”. Name promises: P1 P2 …`);
  return all.filter(({ promise }) => promises.length === 0 || promises.includes(promise));
}

/**
 * Gets the programs that the tests need in a browser, before two copies need them at once.
 *
 * @param {readonly WrongPatch[]} patches
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function prepareBrowser(patches) {
  const tests = patches.flatMap((patch) => patch.tests);
  if (!tests.some((file) => file.startsWith('test/ui/'))) return {};
  if (tests.some((file) => file.startsWith('test/ui/workbench/')))
    await step('VS Code’s server', installServer);
  return { CHROMIUM: await step('Chromium', findChromium) };
}

/** @param {string} folder */
async function copyProject(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, '.vscode-test'), { recursive: true });
  const names = (await readdir(home)).filter((name) => !notCopied.has(name));
  const filter = (/** @type {string} */ path) => !notCopied.has(basename(path));
  for (const name of names) {
    // Scripts of the copy install the packages again if package-lock.json is newer than they are.
    await cp(join(home, name), join(folder, name), { recursive: true, preserveTimestamps: true, filter });
  }
  await linkFiles(join(home, 'node_modules'), join(folder, 'node_modules'));
  const server = join(folder, '.vscode-test', basename(serverFolder));
  if (existsSync(serverFolder)) await symlink(serverFolder, server);
}

/**
 * Makes a folder with hard links to all files of another one. A symbolic link to the folder would give the
 * packages paths outside the copy, which changes the paths in bundles. And nothing that runs in the copy can
 * remove the packages of the project.
 *
 * @param {string} from
 * @param {string} to
 */
async function linkFiles(from, to) {
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) await linkFiles(source, target);
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
      else await link(source, target);
    }),
  );
}

/**
 * Works on all items, one at a time in each copy.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {(copy: string, item: Item) => Promise<void>} work
 */
async function inCopies(items, work) {
  const waiting = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(copy, item);
    }),
  );
}

/** @param {Selection} selection */
function toKey({ tests, grep = '' }) {
  return [...tests, grep].join('\n');
}

/**
 * Runs the tests of the patches without a patch. If they fail, a failure with a patch means nothing.
 *
 * @param {readonly WrongPatch[]} patches
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<ReadonlyMap<string, string>>} the failures by the keys of the patches
 */
async function failuresWithoutPatch(patches, env) {
  const selections = new Map(patches.map((patch) => [toKey(patch), patch]));
  /** @type {Map<string, string>} */
  const failures = new Map();
  await inCopies([...selections], async (copy, [key, { tests, grep }]) => {
    const name = [...tests, ...(grep ? [`“${grep}”`] : [])].join(' ');
    const problem = await runStep(`Without a patch: ${name}`, async () => {
      const failure = await firstFailure(copy, { tests, grep }, env);
      if (failure !== undefined) throw new Advice(`FAILS WITHOUT A PATCH: ${failure} (${name})`);
    });
    if (problem !== undefined) failures.set(key, problem);
  });
  return failures;
}

/**
 * Applies a patch and runs its tests.
 *
 * @param {string} copy
 * @param {WrongPatch} patch
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} the problem, if no test noticed the patch or it does not apply
 */
async function findProblem(copy, { promise, title, file, find, replace, tests, grep }, env) {
  return runStep(`${promise} ${title}`, async (say) => {
    const path = join(copy, file);
    const text = await readFile(path, 'utf8');
    if (text.split(find).length !== 2)
      throw new Advice(`DOES NOT APPLY: ${promise} ${title}: ${file} must contain once: ${find}`);
    await writeFile(
      path,
      text.replace(find, () => replace),
    );
    try {
      const failure = await firstFailure(copy, { tests, grep }, env);
      if (failure === undefined) throw new Advice(`SURVIVED: ${promise} ${title} (${file})`);
      say(failure);
    } finally {
      await writeFile(path, text);
    }
  });
}

/**
 * Runs a step.
 *
 * @param {string} title
 * @param {(say: (note: string) => void) => Promise<void>} work
 * @returns {Promise<string | undefined>} the reason why the step failed
 */
async function runStep(title, work) {
  try {
    await step(title, work);
    return undefined;
  } catch (error) {
    if (error instanceof Advice) return error.message;
    throw error;
  }
}

/**
 * Runs tests in a copy up to the first failure. Nothing is built, so the tests must run or bundle the sources
 * themselves.
 *
 * @param {string} copy
 * @param {Selection} selection
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} the title of the failed test, or how the run ended
 * @throws {Advice} if no test was run
 */
async function firstFailure(copy, { tests, grep }, env) {
  const { mochaArguments, standInForVscode, testLimitsMs } = await import('./testParts.mjs');
  const { countsIn } = await import('./windowTests.mjs');
  const counts = join(copy, '.vscode-test', 'counts.json');
  await rm(counts, { force: true });
  const timeoutMs = Math.max(...tests.map((file) => testLimitsMs[file.split('/')[1] ?? ''] ?? 0));
  const modules = tests.some((file) => file.startsWith('test/host/')) ? [standInForVscode] : [];
  const args = [...mochaArguments(tests, { grep, timeoutMs, modules }), '--bail'];
  const child = startGroup(process.execPath, args, {
    cwd: copy,
    env: {
      ...process.env,
      ...env,
      NODE_COMPILE_CACHE: join(copy, '.vscode-test', 'compile-cache'),
      MODEL_GATEWAY_TEST_COUNTS: counts,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const timer = new AbortController();
  const limit = setTimeout(limitMinutes * 60_000, undefined, { signal: timer.signal }).catch(() => undefined);
  const end = await Promise.race([once(child, 'exit'), limit]);
  timer.abort();
  await killGroup(child);
  if (existsSync(counts)) {
    const { passed, failed, failures } = countsIn(counts, '');
    if (failed > 0) return failures[0]?.split('\n')[0] ?? 'a test failed';
    if (passed === 0) throw new Advice(`No test was run: ${[...tests, grep ?? ''].join(' ')}`);
  }
  if (!end) return `ended by the time limit of ${limitMinutes} minutes`;
  if (!existsSync(counts)) throw new Advice(`The tests did not finish:\n${lastLines(output)}`);
  const [code, signal] = end;
  return code === 0 ? undefined : `mocha ended with ${code ?? signal} after the tests`;
}

/** @param {string} output */
function lastLines(output) {
  return output.trim().split('\n').slice(-8).join('\n');
}
