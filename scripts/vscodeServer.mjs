// Runs the VS Code server of vscodeInstall.mjs.
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { killGroup, run, startGroup, stopGroup } from './processes.mjs';
import { Advice } from './progress.mjs';
import { installServer } from './vscodeInstall.mjs';

const startTimeoutMs = 30_000;

/** Settings for a VS Code that shows only the project, without prompts, welcome page or its own requests. */
const quietSettings = {
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.commandCenter.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
};

/**
 * @typedef {object} ServerOptions
 * @property {string} dataDir folder of settings, logs and extension storage; created if it does not exist
 * @property {number} [port] 0 for any free one, the default
 * @property {Record<string, unknown>} [settings] added to `quietSettings`
 * @property {Record<string, string | undefined>} [env] added to the environment of the extension host; variables
 * that are undefined are removed
 * @property {string | undefined} [builtInExtensions] folder of VS Code's built-in extensions; all if absent
 */

/**
 * @typedef {object} Server
 * @property {number} port
 * @property {string} logFile the output of the server
 * @property {(page: WindowOptions) => string} address of a window, with the connection token
 * @property {() => Promise<void>} stop ends the server and all its child processes
 * @property {() => Promise<void>} kill ends them as a crash does, without a chance to write anything
 * @property {Promise<void>} ended resolves when the server has ended, for any reason
 */

/**
 * @typedef {object} WindowOptions
 * @property {string} [folder] absolute path of the folder to open
 * @property {readonly string[]} [extensions] absolute paths of extensions under development
 * @property {string} [tests] absolute path of a module whose `run()` is called in the extension host
 * @property {boolean | undefined} [isAgentsWindow] marks the window as VS Code's Agents window
 */

/**
 * Starts VS Code's server on the loopback address and waits until it accepts connections.
 *
 * @param {ServerOptions} options
 * @returns {Promise<Server>}
 */
export async function startServer(options) {
  const entry = await installServer();
  const { dataDir, port = 0, settings, env = {}, builtInExtensions } = options;
  await writeSettings(join(dataDir, 'data/User'), settings);
  const logFile = join(dataDir, 'server.log');
  const tokenFile = join(dataDir, 'token');
  const token = await tokenIn(tokenFile);
  const args = serverArguments(dataDir, port, tokenFile);
  if (builtInExtensions) args.push('--builtin-extensions-dir', builtInExtensions);
  const child = startGroup(process.execPath, [entry, ...args], {
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stderr?.pipe(log, { end: false });
  child.stdout?.pipe(log, { end: false });
  try {
    const boundPort = await readPort(child);
    return {
      port: boundPort,
      logFile,
      address: (page) => address(boundPort, token, page),
      stop: () => stopGroup(child),
      kill: () => killGroup(child),
      ended: new Promise((resolve) => child.once('exit', () => resolve())),
    };
  } catch (error) {
    await stopGroup(child);
    throw new Advice(`${error.message}\n\n${logFile} ends with:\n\n${await readLastLines(logFile)}`);
  }
}

/**
 * Installs a packaged extension for the server that runs with the same `dataDir`.
 *
 * @param {string} vsix path of the package
 * @param {string} dataDir
 */
export async function installExtension(vsix, dataDir) {
  const entry = await installServer();
  const folders = ['--server-data-dir', dataDir, '--extensions-dir', join(dataDir, 'extensions')];
  await run(process.execPath, [entry, '--install-extension', vsix, ...folders], { env: environment() });
}

/** Stored across restarts, so that an open window finds its server again. */
async function tokenIn(file) {
  if (existsSync(file)) return readFile(file, 'utf8');
  const token = randomBytes(16).toString('hex');
  await writeFile(file, token, { mode: 0o600 });
  return token;
}

function serverArguments(dataDir, port, tokenFile) {
  return [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--connection-token-file',
    tokenFile,
    '--server-data-dir',
    dataDir,
    '--extensions-dir',
    join(dataDir, 'extensions'),
    '--accept-server-license-terms',
    '--telemetry-level',
    'off',
    '--force-disable-user-env',
    '--disable-update-check',
    '--disable-getting-started-override',
  ];
}

const withoutMarketplace = { EXTENSIONS_GALLERY: '{}' };

/** This environment without the variables of a surrounding VS Code, debugger or npm. */
function environment() {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), ...withoutMarketplace };
}

/**
 * Writes a user's settings. Without `settings`, existing settings are not changed: the user may have edited them.
 *
 * @param {string} folder the user's folder inside the data folder
 * @param {Record<string, unknown>} [settings] added to `quietSettings`
 */
export async function writeSettings(folder, settings) {
  const file = join(folder, 'settings.json');
  if (!settings && existsSync(file)) return;
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${JSON.stringify({ ...quietSettings, ...settings }, null, 2)}\n`);
}

/** The port that the server reports. */
async function readPort(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('VS Code’s server does not start.')), startTimeoutMs);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = /^Extension host agent listening on (\d+)/.exec(line)?.[1];
      if (port) resolve(Number(port));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`VS Code’s server ended with ${code}.`)));
    child.once('close', () => clearTimeout(timer));
  });
}

/**
 * @param {number} port
 * @param {string} token
 * @param {WindowOptions} window
 */
function address(port, token, { folder, extensions = [], tests, isAgentsWindow }) {
  const remote = (path) => `vscode-remote://127.0.0.1:${port}${pathToFileURL(path).pathname}`;
  const payload = extensions.map((path) => ['extensionDevelopmentPath', remote(path)]);
  if (tests) payload.push(['extensionTestsPath', remote(tests)]);
  if (isAgentsWindow) payload.push(['isSessionsWindow', 'true']);
  const url = new URL(`http://127.0.0.1:${port}/`);
  url.searchParams.set('tkn', token);
  if (folder) url.searchParams.set('folder', folder);
  if (payload.length) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

async function readLastLines(file) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.slice(-30).join('\n');
}
