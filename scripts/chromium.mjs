// Finds a Chromium for the tests that need a browser, or gets one.
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';
import { Advice } from './progress.mjs';

/** Command-line switches that keep Chromium off the network and away from a display. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The headless shell is first: without the user interface of a browser, tests need a quarter less processor time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];

const applications = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/**
 * The path of an installed Chromium, Chrome or Edge. If there is none, Debian's package is installed when that is
 * possible without a password prompt, else playwright-core downloads its own.
 *
 * @param {(note: string) => void} [say] receives the origin of the browser
 * @returns {Promise<string>}
 */
export async function findChromium(say = () => {}) {
  const installed = await findInstalled();
  if (installed) {
    say(installed);
    return installed;
  }
  const attempts = [];
  // Older releases of Debian do not have the headless shell.
  const shell = () => installFromDebian('chromium-headless-shell');
  const browser = () => installFromDebian('chromium');
  for (const get of [shell, browser, installFromPlaywright]) {
    try {
      const path = await get();
      say(`installed ${path}`);
      return path;
    } catch (error) {
      attempts.push(error.message);
    }
  }
  throw new Advice(
    `No Chromium found, and none could be installed:\n\n${attempts.join('\n\n')}\n\n` +
      'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
  );
}

async function findInstalled() {
  if (process.env.CHROMIUM) {
    if (await isExecutable(process.env.CHROMIUM)) return process.env.CHROMIUM;
    throw new Advice(`CHROMIUM is set to ${process.env.CHROMIUM}, which is not an executable program.`);
  }
  for (const path of [...listCandidates(), await findPlaywrightBrowser()]) {
    if (await isExecutable(path)) return path;
  }
}

function listCandidates() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  if (process.platform !== 'darwin') return onPath;
  const inApplications = ['/Applications', join(homedir(), 'Applications')].flatMap((folder) =>
    applications.map((application) => join(folder, application)),
  );
  return [...inApplications, ...onPath];
}

/** @param {string} name of the package */
async function installFromDebian(name) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('apt-get: needs Debian and root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '--yes', '--no-install-recommends', name, 'fonts-dejavu-core'], { env });
  const path = await findInstalled();
  if (!path) throw new Error(`apt-get installed ${name}, but it is not on the PATH`);
  return path;
}

async function installFromPlaywright() {
  const cli = new URL('cli.js', import.meta.resolve('playwright-core/package.json'));
  await run(process.execPath, [fileURLToPath(cli), 'install', 'chromium', '--no-shell']);
  return findPlaywrightBrowser();
}

async function findPlaywrightBrowser() {
  const { chromium } = await import('playwright-core');
  return chromium.executablePath();
}

/** @param {string} path */
async function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
