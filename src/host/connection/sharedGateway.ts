import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isObject, parseJson } from '../../base/json.ts';
import nodeOptions from '../../base/node/gatewayNodeOptions.json' with { type: 'json' };
import type { GatewayGreeting } from '../../protocol/gatewayControl.ts';
import { makeConfig } from './configFile.ts';
import { GatewayControl } from './gatewayControl.ts';

const startTimeoutMs = 15_000;
/** How long the gateway goes on without a window, in seconds: a window that is reloaded comes back sooner. */
const lonelySeconds = '10';
/** The exit code of a gateway that found another one running with its folder. */
const runsAlready = 3;
/** The exit codes after which its own words say what to mend: a wrong configuration, a port that is taken. */
const toldExits: ReadonlySet<number | null> = new Set([2, 4]);

/** What to reach, and how to start it. */
export interface SharedGatewayInit {
  /** Path of the gateway's program. */
  readonly program: string;
  /** The gateway's folder for state, which only one gateway at a time runs with. */
  readonly folder: string;
  /** The version of the program. An older one that runs is replaced. */
  readonly version: string;
  /** Path of the configuration that names its upstreams. */
  readonly configFile: string;
  /** Called where none runs, before one is started. */
  readonly starting: () => void;
  /** Told of what it says while it starts. */
  readonly log: (text: string) => void;
}

export interface ReachedGateway {
  readonly control: GatewayControl;
  readonly greeting: GatewayGreeting;
}

/** Reaches the gateway that all windows share, and starts it where none runs. It outlives this window. */
export async function reachGateway(init: SharedGatewayInit): Promise<ReachedGateway> {
  const running = await greetRunning(init.folder);
  if (running && !isOlder(running.greeting.version, init.version)) return running;
  await running?.control.replace();
  init.starting();
  await startProcess(init);
  const started = await greetRunning(init.folder);
  if (!started) throw new Error(vscode.l10n.t('It did not answer within 15 seconds.'));
  return started;
}

/** After an update of the extension, windows that were not reloaded keep to the newer gateway. */
function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** Reaches the gateway that runs with a folder already, unless a newer one is to take its place. Starts none. */
export async function joinGateway({
  folder,
  version,
}: Pick<SharedGatewayInit, 'folder' | 'version'>): Promise<ReachedGateway | undefined> {
  const running = await greetRunning(folder);
  if (!running || !isOlder(running.greeting.version, version)) return running;
  running.control.dispose();
  return undefined;
}

/** Reaches the gateway that runs with a folder; undefined where none does. */
export async function greetRunning(folder: string): Promise<ReachedGateway | undefined> {
  const socket = await readSocket(join(folder, 'running.json'));
  const control =
    socket === undefined ? undefined : await GatewayControl.connect(socket).catch(() => undefined);
  if (!control) return undefined;
  try {
    return { control, greeting: await control.hello(`${process.pid}`) };
  } catch {
    // It is just ending.
    control.dispose();
    return undefined;
  }
}

async function readSocket(file: string): Promise<string | undefined> {
  const value = parseJson(await readFile(file, 'utf8').catch(() => ''));
  return isObject(value) && typeof value.socket === 'string' ? value.socket : undefined;
}

/** Resolves once it listens, or another window's has come first. */
async function startProcess({ program, folder, configFile, log }: SharedGatewayInit): Promise<void> {
  await makeConfig(configFile);
  const args = ['--demo', '--config', configFile, '--state', folder, '--while-windows', lonelySeconds];
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    log(text.trimEnd());
  });
  try {
    await listening(child, () => told.trim());
  } finally {
    // From now on its socket tells its log.
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}

/** @param told what it said so far */
function listening(child: ChildProcess, told: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(vscode.l10n.t('It did not answer within 15 seconds.')));
    }, startTimeoutMs);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    child.stdout?.once('data', () => settle(resolve));
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code) =>
      settle(() => {
        if (code === runsAlready) resolve();
        else if (toldExits.has(code)) reject(new Error(told()));
        else
          reject(new Error(vscode.l10n.t('It exited with code {0}; see the log for details.', String(code))));
      }),
    );
  });
}
