import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { FromLocalGateway } from '../../protocol/localGateway.ts';
import type { Log } from '../log.ts';
import { RemoteConsent } from './remoteConsent.ts';

/** The address of a running local gateway and the credential of this run. */
export interface LocalGatewayAddress {
  readonly baseUrl: string;
  readonly credential: string;
}

/** What the local gateway is needed for: something that the user just did, or a task that goes on by itself. */
export type Starter = 'user' | 'task';

/** Names the environment variable for a file with the start line of a running gateway. `npm start` sets it. */
const developmentGateway = 'MODEL_GATEWAY_DEV_GATEWAY';

const startTimeoutMs = 15_000;

/** Starts the local gateway in its own process on first use, and ends it with the window. */
export class LocalGateway {
  readonly #program: string;
  readonly #taskFile: string;
  readonly #handshakeFile: string | undefined;
  /** The user's consent to run it on a remote machine. */
  readonly consent: RemoteConsent;
  readonly #log: Log;
  readonly #onDidStop = new vscode.EventEmitter<void>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  #isStopped = false;
  #child: ChildProcess | undefined;
  #address: Promise<LocalGatewayAddress> | undefined;

  /** Fires when a running gateway ended, for whatever reason. */
  readonly onDidStop = this.#onDidStop.event;
  /** Fires when this window's gateway begins or ends to run. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: vscode.ExtensionContext, log: Log) {
    this.#program = context.asAbsolutePath('dist/gateway.js');
    this.#taskFile = vscode.Uri.joinPath(context.globalStorageUri, 'gateway', 'tasks.sqlite').fsPath;
    this.#handshakeFile =
      context.extensionMode === vscode.ExtensionMode.Development
        ? process.env[developmentGateway]
        : undefined;
    this.consent = new RemoteConsent(context);
    this.#log = log;
  }

  /** Whether a gateway was already started for this window, so that it can be used at once. */
  get isProvided(): boolean {
    return this.#handshakeFile !== undefined;
  }

  /** Whether it runs for this window. Other windows have their own. */
  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Whether the user stopped it in this window, and has done nothing since that needs it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Returns the address of the running gateway, and starts it if needed.
   *
   * @param by what for: one that the user stopped starts again only for the user
   * @throws in a remote window without the user's consent
   */
  start(by: Starter = 'user'): Promise<LocalGatewayAddress> {
    if (this.#isStopped && by === 'task') return Promise.reject(new Error(stoppedWords()));
    this.#isStopped = false;
    this.#address ??= this.#open().catch((error) => {
      this.#address = undefined;
      throw error;
    });
    return this.#address;
  }

  /** Ends it, until the user does something that needs it. */
  stop(): void {
    this.#isStopped = this.#child !== undefined;
    this.#child?.kill('SIGTERM');
  }

  dispose(): void {
    this.stop();
    this.#onDidStop.dispose();
    this.#onDidChange.dispose();
  }

  async #open(): Promise<LocalGatewayAddress> {
    const address =
      this.#handshakeFile === undefined ? await this.#fork() : await readHandshake(this.#handshakeFile);
    this.#log.keepSecret(address.credential);
    this.#log.info('gateway', `local gateway at ${address.baseUrl}`);
    return address;
  }

  async #fork(): Promise<LocalGatewayAddress> {
    if (!this.consent.isGiven) {
      throw new Error(
        vscode.l10n.t(
          'On a remote machine it runs only once you allow it: use the demo gateway by its command.',
        ),
      );
    }
    const child = fork(this.#program, ['--demo', '--port', '0', '--tasks', this.#taskFile], {
      execArgv: [],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'json',
    });
    this.#child = child;
    this.#onDidChange.fire();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#log.info('gateway', text.trimEnd()));
    child.once('exit', (code, signal) => {
      this.#log.info('gateway', `local gateway ended (${signal ?? `code ${code}`})`);
      this.#child = undefined;
      this.#address = undefined;
      this.#onDidChange.fire();
    });
    const address = await listening(child);
    child.once('exit', () => this.#onDidStop.fire());
    return address;
  }
}

function stoppedWords(): string {
  return vscode.l10n.t('You stopped it in this window. Start it again to go on.');
}

async function readHandshake(file: string): Promise<LocalGatewayAddress> {
  const { baseUrl, credentialFile } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  if (!baseUrl || !credentialFile) throw new Error(`${developmentGateway} names a file without a handshake.`);
  return { baseUrl, credential: (await readFile(credentialFile, 'utf8')).trim() };
}

function listening(child: ChildProcess): Promise<LocalGatewayAddress> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(vscode.l10n.t('It did not answer within 15 seconds.')));
    }, startTimeoutMs);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    child.on('message', (message: FromLocalGateway) => {
      if (message.type !== 'listening') return;
      settle(() => resolve({ baseUrl: message.baseUrl, credential: message.credential }));
    });
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code) =>
      settle(() =>
        reject(new Error(vscode.l10n.t('It ended with code {0}; the log says why.', String(code)))),
      ),
    );
  });
}
