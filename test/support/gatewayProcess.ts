import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gatewayBundle, gatewayNodeOptions } from '../../scripts/bundles.mjs';

export interface GatewayStart {
  /** Serve the demo models; true by default. */
  readonly demo?: boolean;
  /** Content of a configuration file, which the user has allowed. */
  readonly config?: object;
  /** Tokens a second of the demo models; without delay by default, `real` for the pace of a real model. */
  readonly pace?: number | 'real';
  /** The task file; by default in the state folder. */
  readonly tasks?: string;
  /** The state folder; by default a temporary one, removed with the process. */
  readonly state?: string;
  /** Any free port by default; `stored` is the port that the gateway stores itself. */
  readonly port?: number | 'stored';
  /** More options. */
  readonly args?: readonly string[];
  /** Variables that are added to the gateway's environment, or removed from it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The maximum number of open files. */
  readonly openFiles?: number;
}

export interface RunningGateway {
  readonly baseUrl: string;
  readonly credential: string;
  readonly credentialFile: string;
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends SIGTERM and resolves with the exit code, null if the process had to be killed. */
  stop(): Promise<number | null>;
}

/**
 * Starts the real local gateway in its own process. It runs the built bundle, which takes a third of the time of
 * its source. If the gateway exits early, rejects with its output.
 */
export async function startGateway(start: GatewayStart = {}): Promise<RunningGateway> {
  const { demo = true, config, pace = 0, env = {}, openFiles } = start;
  const { tasks, port = 0, args = [] } = start;
  const configFile = config && writeConfig(config);
  const ownState = start.state === undefined ? mkdtempSync(join(tmpdir(), 'gateway-state-')) : undefined;
  const state = start.state ?? ownState ?? '';
  const child = runGateway(
    [
      ...(demo ? ['--demo'] : []),
      ...(pace === 'real' ? [] : ['--pace', String(pace)]),
      ...(configFile ? ['--config', configFile.path, '--trust'] : []),
      '--state',
      state,
      ...(tasks === undefined ? [] : ['--tasks', tasks]),
      ...(port === 'stored' ? [] : ['--port', String(port)]),
      ...args,
    ],
    { env, openFiles },
  );
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  child.once('exit', () => {
    configFile?.remove();
    removeSocket(state);
    if (ownState !== undefined) rmSync(ownState, { recursive: true, force: true });
  });

  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${output.stderr}`)));
    child.stdout?.on('data', () => output.stdout.includes('\n') && resolve());
  });
  const { baseUrl, credentialFile } = JSON.parse(output.stdout) as Record<
    'baseUrl' | 'credentialFile',
    string
  >;
  return {
    baseUrl,
    credentialFile,
    credential: readFileSync(credentialFile, 'utf8').trim(),
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: () => stop(child),
  };
}

export interface GatewayRun {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly openFiles?: number;
}

/** Runs the gateway's program with exactly these arguments, under the project's own Node. */
export function runGateway(args: readonly string[], { env = {}, openFiles }: GatewayRun = {}): ChildProcess {
  const program = [process.execPath, ...gatewayNodeOptions, gatewayBundle.outfile ?? ''];
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`];
  const [command = '', ...rest] = [...limited, ...program, ...args];
  return spawn(command, rest, {
    env: { ...process.env, XDG_STATE_HOME: getStateHome(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

let stateHome: string | undefined;

/** Replaces the user's own state folder, for gateways without `--state`. */
function getStateHome(): string {
  if (stateHome === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-state-home-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    stateHome = folder;
  }
  return stateHome;
}

export interface WrittenConfig {
  readonly path: string;
  /** Replaces the content of the file atomically, as editors do. */
  write(config: object): void;
  remove(): void;
}

export function writeConfig(config: object): WrittenConfig {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  const path = join(folder, 'gateway.json');
  writeFileSync(path, JSON.stringify(config));
  return {
    path,
    write(next) {
      writeFileSync(`${path}.new`, JSON.stringify(next));
      renameSync(`${path}.new`, path);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The socket of a killed gateway. The next gateway with its folder would remove it. */
function removeSocket(state: string): void {
  const running = join(state, 'running.json');
  if (!existsSync(running)) return;
  rmSync(dirname(JSON.parse(readFileSync(running, 'utf8')).socket), { recursive: true, force: true });
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  return code as number | null;
}
