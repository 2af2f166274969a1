// Runs tests inside the extension host of VS Code's server, with the extension loaded from
// its folder or installed from a package.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromiumFlags } from './chromium.mjs';
import { leanExtensions, leanSettings } from './leanVscode.mjs';
import { linkedExtension } from './linkedExtension.mjs';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';
import { workFolder } from './vscodeInstall.mjs';
import { installExtension, startServer } from './vscodeServer.mjs';

/** In a browser, VS Code saves files after a second by default; tests of unsaved files must not depend on that. */
const withoutAutoSave = { 'files.autoSave': 'off' };
/** Longer than a single test may take in long form. */
const maxSilenceMs = 10 * 60_000;
const pollMs = 200;
/** The window is not visible: a small one is painted in less time. */
const viewport = { width: 800, height: 500 };

/**
 * @typedef {object} WindowTests
 * @property {string} name of their folder below .vscode-test/window
 * @property {string} chromium path of the browser
 * @property {string} [vsix] path of a package to install and test in place of the folder
 * @property {readonly string[]} [files] the bundled tests below dist-test to run; all by default
 * @property {string} [grep] selects tests by title
 * @property {boolean} [heldBack] prints the output at the end, so that several runs can be parallel
 */

/**
 * Runs the bundled tests, prints their output, and returns their counts.
 *
 * @param {WindowTests} options
 * @returns {Promise<import('./testParts.mjs').Counts>}
 */
export async function runWindowTests(options) {
  const folder = join(workFolder, 'window', options.name);
  await rm(folder, { recursive: true, force: true });
  const workspace = join(folder, 'workspace');
  const data = join(folder, 'server');
  const report = { counts: join(folder, 'counts.json'), output: join(folder, 'output.txt') };
  await mkdir(workspace, { recursive: true });
  if (options.vsix) await installExtension(options.vsix, data);
  const env = { ...testEnvironment({ data, ...report }, options), ...(await ownNetwork(folder)) };
  const settings = { ...leanSettings, ...withoutAutoSave };
  const start = { dataDir: data, env, settings, builtInExtensions: await leanExtensions() };
  const server = await startServer(options.vsix ? { dataDir: data, env, settings: withoutAutoSave } : start);
  try {
    const underDevelopment = options.vsix ? await emptyExtension(folder) : await linkedExtension();
    const tests = fileURLToPath(new URL('dist-test/window/run.js', root));
    const address = server.address({ folder: workspace, extensions: [underDevelopment], tests });
    const stopFollowing = options.heldBack ? () => print(report.output) : follow(report.output);
    const errors = await openUntil(address, options.chromium, report).finally(stopFollowing);
    return countsIn(report.counts, `${errors.slice(-20).join('\n')}\n\nMore in ${data}`);
  } finally {
    await server.stop();
  }
}

/** VS Code runs tests only if an extension is under development; an empty one is enough. */
async function emptyExtension(folder) {
  const path = join(folder, 'tests');
  await mkdir(path);
  const manifest = { name: 'tests', publisher: 'model-gateway', version: '0.0.1', engines: { vscode: '*' } };
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest));
  return path;
}

/**
 * The environment variables that run.ts, mochaReporter.cjs and the tests read.
 *
 * @param {{ data: string, counts?: string, output?: string }} paths of VS Code’s data, and of the files to write
 * @param {{ files?: readonly string[], grep?: string }} options
 * @returns {Record<string, string>}
 */
export function testEnvironment({ data, counts, output }, { files, grep }) {
  return {
    MODEL_GATEWAY_TEST_REPORTER: fileURLToPath(new URL('mochaReporter.cjs', import.meta.url)),
    MODEL_GATEWAY_TEST_DATA: data,
    MODEL_GATEWAY_TEST_FIXTURES: fileURLToPath(new URL('../test/fixtures', import.meta.url)),
    ...(counts && { MODEL_GATEWAY_TEST_COUNTS: counts }),
    ...(output && { MODEL_GATEWAY_TEST_OUTPUT: output }),
    ...(files?.length && { MODEL_GATEWAY_TEST_FILES: files.join() }),
    ...(grep && { MODEL_GATEWAY_TEST_GREP: grep }),
  };
}

/** A machine's settings of proxies and certificates, which would change the route of the tests' requests. */
const networkVariables = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_USE_ENV_PROXY',
  'NODE_USE_SYSTEM_CA',
];

/**
 * A network of the tests' own: no proxy, and one certificate authority among the system's, made for this run.
 * The tests find it with its key.
 *
 * @param {string} folder
 * @returns {Promise<Record<string, string | undefined>>}
 */
export async function ownNetwork(folder) {
  const { makeCertificate } = await import('../test/support/faultServerCertificates.ts');
  const authority = makeCertificate({ name: 'Model Gateway test authority', authority: true });
  const file = join(folder, 'authority.json');
  const certificate = join(folder, 'authority.pem');
  await writeFile(file, JSON.stringify(authority));
  await writeFile(certificate, authority.cert);
  return {
    ...Object.fromEntries(networkVariables.map((name) => [name, undefined])),
    SSL_CERT_FILE: certificate,
    MODEL_GATEWAY_TEST_AUTHORITY: file,
  };
}

/**
 * Opens a window until the tests have written their counts, or no more output, or VS Code reports that they are over;
 * it also reports that if they could not be started. Returns the errors that the window wrote to its console.
 */
async function openUntil(address, executablePath, { counts, output }) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  /** @type {string[]} */
  const errors = [];
  let isOver = false;
  try {
    const page = await browser.newPage({ viewport });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    // The workbench's hook for automation.
    await page.exposeFunction('codeAutomationExit', () => {
      isOver = true;
    });
    await page.goto(address);
    const openedAt = Date.now();
    const lastOutputAt = () => statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? openedAt;
    while (!isOver && !existsSync(counts) && Date.now() < lastOutputAt() + maxSilenceMs)
      await setTimeout(pollMs);
  } finally {
    await browser.close();
  }
  return errors;
}

/** Prints the text appended to a file, until the returned function is called. */
function follow(file) {
  let position = 0;
  const printRest = () => {
    position = print(file, position);
  };
  const timer = setInterval(printRest, pollMs);
  return () => {
    clearInterval(timer);
    printRest();
  };
}

/** Prints a file from a position on, and returns the position of its end. */
function print(file, position = 0) {
  if (!existsSync(file)) return position;
  const chunk = Buffer.alloc(64 * 1024);
  const descriptor = openSync(file, 'r');
  let end = position;
  for (let length = 1; length > 0; end += length) {
    length = readSync(descriptor, chunk, 0, chunk.length, end);
    process.stdout.write(chunk.toString('utf8', 0, length));
  }
  closeSync(descriptor);
  return end;
}

/**
 * The counts that a run wrote.
 *
 * @param {string} file
 * @param {string} clues printed if there are no counts
 * @returns {import('./testParts.mjs').Counts}
 */
export function countsIn(file, clues) {
  if (!existsSync(file)) throw new Advice(`The tests did not finish.\n${clues}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}
