import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isObject, parseJson } from '../../base/json.ts';
import nodeOptions from '../../base/node/gatewayNodeOptions.json' with { type: 'json' };
import type { GatewayGreeting } from '../../protocol/gatewayControl.ts';
import { createConfigIfMissing } from './configFile.ts';
import { GatewayControl } from './gatewayControl.ts';

const startTimeoutMs = 15_000;
/** The time in seconds after which a gateway without a window exits. A reloaded window reconnects sooner. */
const idleSeconds = '10';
/** The exit code of a gateway if another gateway already runs with its folder. */
const alreadyRunningExitCode = 3;
/** The exit codes whose error output describes the fix: a wrong configuration, a port in use. */
const explainedExitCodes: ReadonlySet<number | null> = new Set([2, 4]);

/** The options to find and start a gateway. */
interface GatewayProcessOptions {
  /** The path of the gateway's program. */
  readonly program: string;
  /** The state folder of the gateway. Only one gateway at a time runs with a folder. */
  readonly folder: string;
  /** The version of the program. A running gateway with an older version is replaced. */
  readonly version: string;
  /** The path of the configuration with the gateway's upstreams. */
  readonly configFile: string;
  /** Called before a gateway is started. */
  readonly onStart: () => void;
  /** Receives the output of the gateway while it starts. */
  readonly log: (text: string) => void;
}

export interface ConnectedGateway {
  readonly control: GatewayControl;
  readonly greeting: GatewayGreeting;
}

/**
 * Connects to the gateway that all windows share, and starts it if it does not run. The gateway outlives this window.
 *
 * @throws an error with the reason if the gateway does not start
 */
export async function connectOrStartGateway(options: GatewayProcessOptions): Promise<ConnectedGateway> {
  const existing = await connectAndGreet(options.folder);
  if (existing && !isOlder(existing.greeting.version, options.version)) return existing;
  await existing?.control.replace();
  options.onStart();
  await startProcess(options);
  const gateway = await connectAndGreet(options.folder);
  if (!gateway) throw new Error(vscode.l10n.t('It did not reply within 15 seconds.'));
  return gateway;
}

/** Only an older gateway is replaced. A window that was not reloaded after an update uses the newer gateway. */
function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

/**
 * Connects to the gateway that already runs with a folder. Does not start a gateway.
 *
 * @returns undefined if no gateway runs, or if the gateway is older than `version`
 */
export async function connectToRunningGateway({
  folder,
  version,
}: Pick<GatewayProcessOptions, 'folder' | 'version'>): Promise<ConnectedGateway | undefined> {
  const gateway = await connectAndGreet(folder);
  if (!gateway || !isOlder(gateway.greeting.version, version)) return gateway;
  gateway.control.dispose();
  return undefined;
}

/** Connects to the gateway that runs with a folder; undefined if no gateway runs. */
async function connectAndGreet(folder: string): Promise<ConnectedGateway | undefined> {
  const socket = await readSocketPath(join(folder, 'running.json'));
  const control =
    socket === undefined ? undefined : await GatewayControl.connect(socket).catch(() => undefined);
  if (!control) return undefined;
  try {
    return { control, greeting: await control.greet() };
  } catch {
    // The gateway is exiting.
    control.dispose();
    return undefined;
  }
}

async function readSocketPath(file: string): Promise<string | undefined> {
  const value = parseJson(await readFile(file, 'utf8').catch(() => ''));
  return isObject(value) && typeof value.socket === 'string' ? value.socket : undefined;
}

/** Starts a gateway. Resolves once it listens, or once another window's gateway has started first. */
async function startProcess({ program, folder, configFile, log }: GatewayProcessOptions): Promise<void> {
  await createConfigIfMissing(configFile);
  const args = ['--demo', '--config', configFile, '--state', folder, '--exit-after-windows', idleSeconds];
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput += text;
    log(text.trimEnd());
  });
  try {
    await waitUntilListening(child, () => errorOutput.trim());
  } finally {
    // From now on the gateway sends its log over the socket.
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}

/** @param readOutput returns the error output so far */
function waitUntilListening(child: ChildProcess, readOutput: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(vscode.l10n.t('It did not reply within 15 seconds.')));
    }, startTimeoutMs);
    const settle = (settlePromise: () => void) => {
      clearTimeout(timer);
      settlePromise();
    };
    child.stdout?.once('data', () => settle(resolve));
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code) =>
      settle(() => {
        if (code === alreadyRunningExitCode) resolve();
        else if (explainedExitCodes.has(code)) reject(new Error(readOutput()));
        else
          reject(new Error(vscode.l10n.t('It exited with code {0}; see the log for details.', String(code))));
      }),
    );
  });
}
