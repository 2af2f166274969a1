// `npm run test:mutation -- FOLDER`: Stryker changes the code of a folder of src/ in one place at a time and
// runs the tests that execute this place. A change that no test detects shows that a test is missing. A
// repeated run continues with the results of the last one: it tests only the changes in files of src/ and
// test/ that differ.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Advice, duration, step } from './progress.mjs';
import { root } from './root.mjs';
import { installMutationTesting } from './sdkInstall.mjs';
import { underPinnedNode } from './setup.mjs';

/** A test file, and the changed files that it imports. @typedef {{ file: string, reached: readonly string[], isNear: boolean }} TestFile */
/** @typedef {{ line: number, column: number }} Position */
/**
 * A change of the code with the result of its tests, as Stryker reports it.
 *
 * @typedef {{ fileName: string, location: { start: Position, end: Position }, status: string, statusReason?: string,
 *   replacement?: string }} MutantResult
 */
/** @typedef {readonly { from: string, to: string, isType: boolean }[]} Imports */

const home = fileURLToPath(root);

/** Read by the test runner and by test/support/databaseFolder.ts. */
const testFolderVariable = 'MODEL_GATEWAY_TEST_FOLDER';

await underPinnedNode(import.meta.url, async () => {
  const started = performance.now();
  const { folder, isComplete, isRepeated } = readArguments(process.argv.slice(2));
  const testFiles = await findTests(folder);
  if (testFiles.length === 0) throw new Advice(`No test imports a file of ${folder}.`);
  console.log(`Test files that import ${folder}: ${testFiles.length}`);
  process.chdir(home);
  const results = `.vscode-test/mutation/${folder}`;
  const copies = `.vscode-test/mutation/copies/${folder}`;
  // A run that was ended by force leaves its copy of the project.
  rmSync(copies, { recursive: true, force: true });
  mkdirSync(dirname(results), { recursive: true });
  process.env[testFolderVariable] = testFolder();
  await step('Stryker', installMutationTesting);
  const core = createRequire(new URL('test/mutation/', root)).resolve('@stryker-mutator/core');
  const { Stryker } = await import(pathToFileURL(core).href);
  const stryker = new Stryker({
    mutate: [folder.endsWith('.ts') ? folder : `${folder}/**/!(*.d).ts`],
    testRunner: 'reloading-mocha',
    filesOfTests: testFiles,
    failuresFile: join(home, `${results}.failed.txt`),
    warnings: false,
    plugins: ['./test/mutation/mutationRunner.mjs', './test/mutation/mutationTexts.mjs'],
    ignorers: ['texts'],
    coverageAnalysis: 'perTest',
    // A changed constant needs a new process and has no known tests: 16 % of src/wire, 5 % of other folders.
    ignoreStatic: !isComplete,
    incremental: true,
    incrementalFile: `${results}.json`,
    force: isRepeated,
    concurrency: availableParallelism(),
    timeoutMS: 5_000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 30,
    thresholds: { high: 100, low: 0, break: null },
    tempDirName: copies,
    cleanTempDir: 'always',
    ignorePatterns: ['.vscode-test', 'dist', 'dist-test'],
    // Stryker cannot read it with TypeScript 7. Node removes the types without checks.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'html'],
    htmlReporter: { fileName: `${results}.html` },
    logLevel: 'error',
  });
  const mutants = await stryker.runMutationTest();
  writeFileSync(`${results}.txt`, formatMutants(mutants));
  console.log(`\n${formatSummary(mutants)}\nTime: ${duration(started)}`);
  const failed = readFileSync(`${results}.failed.txt`, 'utf8');
  if (failed) console.log(`Not used, because they fail with code that Stryker prepared:\n${failed}`);
  console.log(`Changes that no test detects: ${results}.txt, ${results}.html`);
});

/** A folder for the files of tests, because changed code may leave files of gigabytes. */
function testFolder() {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mutation-'));
  // Some tests use the rights of another user.
  chmodSync(path, 0o755);
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** @param {string[]} args */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      constants: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
    },
  });
  const [folder, ...more] = positionals.map((path) => path.replace(/\/+$/, ''));
  if (!folder?.startsWith('src/') || more.length > 0 || !existsSync(join(home, folder))) {
    throw new Advice(
      'Usage: npm run test:mutation -- FOLDER [--constants] [--again]\n\n' +
        '  FOLDER       a folder or file of src/\n' +
        '  --constants  also changes code that runs when a module is loaded\n' +
        '  --again      repeats all tests, not only those of changed code',
    );
  }
  return { folder, isComplete: values.constants, isRepeated: values.again };
}

/**
 * The tests that import a file of the folder, directly or not, or start a thread or process of it: unit
 * tests, and contract tests that run in one process. A single file has only the unit tests of its own folder,
 * so that their first run is short.
 *
 * @param {string} folder
 * @returns {Promise<readonly TestFile[]>}
 */
async function findTests(folder) {
  const { readSourceFiles, readTestFiles, listImports } = await import('../test/support/sourceImports.ts');
  const files = new Map([...readSourceFiles(), ...readTestFiles()]);
  /** @type {Map<string, string[]>} */
  const importsOf = new Map();
  for (const { from, to, isType } of [...listImports(files), ...startedPrograms(files)]) {
    if (!isType) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
  }
  const unitTests = folder.endsWith('.ts') ? findTestFolder(folder) : 'test/unit';
  return [...files.keys()]
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts'))
    .map((file) => ({ file, reached: [...reachableFrom(file, importsOf)] }))
    .filter(({ file, reached }) =>
      file.startsWith('test/contract/')
        ? !reached.some((other) => needsPrograms(other, files))
        : file.startsWith(`${unitTests}/`),
    )
    .map(({ file, reached }) => ({
      file,
      reached: reached.filter(isIn(folder)),
      isNear: file.startsWith(`${findTestFolder(folder)}/`),
    }))
    .filter(({ reached }) => reached.length > 0);
}

/** Whether a file of test/ starts programs, or imports packages that test/package.json installs. */
function needsPrograms(file, files) {
  return (
    file.startsWith('test/support/sdks/') ||
    (file.startsWith('test/') && /'node:child_process'/.test(files.get(file) ?? ''))
  );
}

/** The folder of test/unit with the path of this folder or file, or the nearest folder above it. @param {string} path */
function findTestFolder(path) {
  const folder = path.replace(/^src/, 'test/unit');
  return existsSync(join(home, folder)) ? folder : findTestFolder(dirname(path));
}

/** @param {string} folder */
function isIn(folder) {
  return (/** @type {string} */ file) => file === folder || file.startsWith(`${folder}/`);
}

/**
 * The programs that files start in a thread or process.
 *
 * @param {ReadonlyMap<string, string>} files
 * @returns {Imports}
 */
function startedPrograms(files) {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(/new URL\(\s*'(\.[^'\n]+\.ts)',\s*import\.meta\.url/g)].map(([, path = '']) => ({
      from,
      to: new URL(path, `file:///${from}`).pathname.slice(1),
      isType: false,
    })),
  );
}

/**
 * @param {string} start
 * @param {ReadonlyMap<string, readonly string[]>} importsOf
 */
function reachableFrom(start, importsOf) {
  const reached = new Set([start]);
  for (const file of reached) for (const other of importsOf.get(file) ?? []) reached.add(other);
  return reached;
}

/** @param {readonly MutantResult[]} mutants */
function formatSummary(mutants) {
  const count = (status) => mutants.filter((mutant) => mutant.status === status).length;
  const killed = count('Killed');
  const timeout = count('Timeout');
  const survived = count('Survived');
  const uncovered = count('NoCoverage');
  const broken = count('RuntimeError');
  const texts = mutants.filter(({ statusReason }) => statusReason === 'text').length;
  const score = (100 * (killed + timeout)) / (killed + timeout + survived + uncovered);
  return [
    `Changes: ${mutants.length}`,
    `${killed} killed, ${survived} survived, ${uncovered} no coverage, ${timeout} timeout`,
    `Score: ${score.toFixed(1)} %`,
    `Not tested: ${texts} texts, ${count('Ignored') - texts} constants, ${broken} that ended the process`,
  ].join('\n');
}

/** @param {readonly MutantResult[]} mutants */
function formatMutants(mutants) {
  return [
    'Survived: tests execute the code and succeed',
    ...listMutants(mutants, 'Survived'),
    '',
    'No coverage: no test executes the code',
    ...listMutants(mutants, 'NoCoverage'),
    '',
  ].join('\n');
}

/**
 * @param {readonly MutantResult[]} mutants
 * @param {string} status
 */
function listMutants(mutants, status) {
  return mutants
    .filter((mutant) => mutant.status === status)
    .map(({ fileName, location: { start, end }, replacement = '' }) => ({
      file: fileName.slice(home.length).replaceAll('\\', '/'),
      start,
      end,
      replacement,
    }))
    .sort(
      (one, other) =>
        one.file.localeCompare(other.file) ||
        one.start.line - other.start.line ||
        one.start.column - other.start.column,
    )
    .map(
      ({ file, start, end, replacement }) =>
        `${file}:${start.line}  ${short(codeBetween(file, start, end))}  →  ${short(replacement)}`,
    );
}

/** The changed code. Lines and columns begin at 1. */
function codeBetween(file, start, end) {
  const lines = readFileSync(join(home, file), 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const code = [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, end.column - 1)];
  return code.join('\n').slice(start.column - 1);
}

function short(code) {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
