// `npm run test:fuzz`: tries inputs that are mutations of the recordings, guided by the coverage that they reach.
// The targets are the files of test/fuzz; each exports `fuzz`, which throws for a fault, and `seeds`. A target stops
// at its first find, which is stored as a file. Each find becomes a normal unit test.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startGroup } from './processes.mjs';
import { Advice, step } from './progress.mjs';
import { root } from './root.mjs';
import { installFuzzer } from './sdkInstall.mjs';
import { underPinnedNode } from './setup.mjs';
import { workFolder } from './vscodeInstall.mjs';

/** @typedef {{ name: string, seconds: number, bundle: string }} Run */

const home = fileURLToPath(root);
const folder = join(workFolder, 'fuzz');
const bundles = join(folder, 'bundles');
const dictionary = join(folder, 'words.dict');

/** Small machines have two cores. */
const lanes = 2;

/** An input that takes longer is a find. */
const inputTimeoutMs = 10_000;

/** Only the end of a target's output is retained: it has the figures and the find. */
const maxOutputLength = 1024 * 1024;

/** Parts of inputs that random changes rarely make: JSON that is known to cause faults, and marks of formats. */
const words = [
  ...'{"toString":1} {"__proto__":{"a":1}} "__proto__" "constructor" "toString" "\\ud800" ""'.split(' '),
  ...'[[[[[[[[ {"a":{"a": 1e400 -1 1e-400 123456789012345678901234567890 null true [] {} [DONE]'.split(' '),
  'data: ',
  'event: ',
  ': ',
  '://',
  '%2F',
  '../',
  '\r\n\r\n',
  '\n\n',
  '\u2028',
  '\ufeff',
  '\u0000',
];

await underPinnedNode(import.meta.url, async () => {
  const { minutes, input, names } = readArguments(process.argv.slice(2));
  if (input !== undefined) return repeat(names[0], input);
  checkLibc();
  await step('Fuzzer', installFuzzer);
  await step('Bundling', () => bundle(names));
  await writeFile(dictionary, words.map((word) => `"${escapeWord(word)}"\n`).join(''));
  // All lanes run the same number of targets, so they end at about the same time.
  const rounds = Math.ceil(names.length / lanes);
  const seconds = Math.max(1, Math.round((minutes * 60) / rounds));
  console.log(`Each of ${names.length} targets runs for ${seconds} s.\n`);
  const waiting = names.map((name) => ({ name, seconds, bundle: join(bundles, `${name}.cjs`) }));
  const failed = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let run = waiting.shift(); run; run = waiting.shift())
        if (!(await runTarget(run))) failed.push(run.name);
    }),
  );
  console.log(failed.length ? `\nFailed: ${failed.join(', ')}` : '\nNo finds.');
  process.exitCode = failed.length ? 1 : 0;
});

/** @param {string[]} args */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { minutes: { type: 'string', default: '10' }, input: { type: 'string' } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes < 10_000)) throw new Advice('--minutes expects a number greater than 0.');
  const known = globSync('test/fuzz/*.ts', { cwd: home })
    .map((file) => basename(file, '.ts'))
    .sort();
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown) throw new Advice(`There is no target “${unknown}”. The targets are: ${known.join(', ')}.`);
  if (values.input !== undefined && positionals.length !== 1) throw new Advice('--input expects one target.');
  return { minutes, input: values.input, names: positionals.length ? positionals : known };
}

/** The fuzzer's package is built for glibc 2.38. */
function checkLibc() {
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const { header } = process.report.getReport();
  const version = header?.glibcVersionRuntime;
  const minor = Number(/^2\.(\d+)/.exec(version ?? '')?.[1]);
  if (minor < 38) throw new Advice(`The fuzzer needs glibc 2.38 or newer; this machine has ${version}.`);
}

/** A word in the form of libFuzzer's dictionaries. */
function escapeWord(word) {
  return Buffer.from(word)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]|["\\]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** @param {string} name */
async function load(name) {
  return import(new URL(`test/fuzz/${name}.ts`, root).href);
}

/** Runs a target once without instrumentation, so that the stack names the lines of the sources. */
async function repeat(name, input) {
  if (!existsSync(input)) throw new Advice(`There is no file ${input}.`);
  const { fuzz } = await load(name);
  await fuzz(readFileSync(input));
  console.log(`${name} accepts ${input}.`);
}

/** Only modules in CommonJS keep their source maps when they are instrumented. */
async function bundle(names) {
  const esbuild = await import('esbuild');
  await rm(bundles, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: home,
    entryPoints: names.map((name) => `test/fuzz/${name}.ts`),
    outdir: bundles,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
    // The seeds are read here and not in the bundle.
    define: { 'import.meta.url': JSON.stringify(root.href) },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  });
}

/**
 * Runs one target, and prints a line with its figures, and its find.
 *
 * @param {Run} run
 * @returns {Promise<boolean>} whether nothing was found
 */
async function runTarget(run) {
  const found = join(folder, run.name, 'found');
  try {
    await step(run.name, async (say) => {
      const corpus = await writeSeeds(run.name);
      await mkdir(found, { recursive: true });
      const { code, output } = await fuzz(run, corpus, `${found}/`);
      say(figuresIn(output));
      if (code !== 0) throw new Advice(describeFailure(run.name, code, output));
    });
    return true;
  } catch (error) {
    console.log(`\n${error instanceof Advice ? error.message : error.stack}\n`);
    return false;
  }
}

/** Copies the seeds to the corpus, whose files libFuzzer names by their SHA-1, too. */
async function writeSeeds(name) {
  const corpus = join(folder, name, 'corpus');
  await mkdir(corpus, { recursive: true });
  const { seeds } = await load(name);
  await Promise.all(
    seeds().map((seed) => writeFile(join(corpus, createHash('sha1').update(seed).digest('hex')), seed)),
  );
  return corpus;
}

/**
 * @param {Run} run
 * @param {string} corpus
 * @param {string} found
 * @returns {Promise<{ code: number | string | null, output: string }>}
 */
async function fuzz({ seconds, bundle }, corpus, found) {
  const args = [
    join(createRequire(new URL('test/fuzz/', root)).resolve('@jazzer.js/core'), '../cli.js'),
    bundle,
    corpus,
    '--includes',
    bundles,
    '--disableBugDetectors',
    '^(?!prototype-pollution)',
    '--timeout',
    String(inputTimeoutMs),
    '--',
    `-max_total_time=${seconds}`,
    `-artifact_prefix=${found}`,
    `-dict=${dictionary}`,
    '-print_final_stats=1',
  ];
  const child = startGroup(process.execPath, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-maxOutputLength);
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** The figures of libFuzzer's last line of progress, or of its end if it stopped before that. */
function figuresIn(output) {
  const lines = [...output.matchAll(/^#(\d+)\s.*?\bcov: (\d+) ft: (\d+) corp: (\d+)\/.*?\bexec\/s: (\d+)/gm)];
  const [, inputs, coverage, features, corpus, speed] = lines.at(-1)?.map(Number) ?? [];
  const [, executed] = /^stat::number_of_executed_units:\s*(\d+)/m.exec(output) ?? [];
  if (inputs === undefined) return executed === undefined ? 'no figures' : `${executed} inputs`;
  const words = [`${inputs} inputs`, `${speed} a second`, `coverage ${coverage}`, `features ${features}`];
  return [...words, `corpus ${corpus}`].join(', ');
}

/** @param {string} name @param {number | string | null} code @param {string} output */
function describeFailure(name, code, output) {
  const figures = `${name}: ${figuresIn(output)}`;
  const [, file] = /Test unit written to (.*)$/m.exec(output) ?? [];
  if (file === undefined) return `${figures}\n${name} ended with ${code}:\n${lastLines(output, 20)}`;
  const start = output.search(/^==\d+==/m);
  const report = start === -1 ? lastLines(output, 20) : firstLines(output.slice(start), 20);
  const input = relative(home, file);
  return `${figures}\n${report}\n\nInput: ${input}\nTo repeat: npm run test:fuzz -- ${name} --input ${input}`;
}

function firstLines(text, count) {
  return text.split('\n').slice(0, count).join('\n');
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
