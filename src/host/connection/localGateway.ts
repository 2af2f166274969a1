import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import type { Log } from '../kit/display/log.ts';
import { readSetting } from '../kit/manifest/settings.ts';
import { configFileName } from './emptyConfig.ts';
import type { GatewayControl } from './gatewayControl.ts';
import { NotStartedError } from './notStarted.ts';
import { RemoteConsent } from './remoteConsent.ts';
import { joinGateway, type ReachedGateway, reachGateway } from './sharedGateway.ts';

/** The address of a running local gateway and its credential. */
export interface LocalGatewayAddress {
  readonly baseUrl: string;
  readonly credential: string;
}

/** What the local gateway is needed for: something that the user just did, or a task that goes on by itself. */
export type Starter = 'user' | 'task';

/** Names the environment variable for a file with the start line of a running gateway. `npm start` sets it. */
const developmentGateway = 'MODEL_GATEWAY_DEV_GATEWAY';

/** A request that the local gateway answered, and where that is. */
export interface ServedHere {
  readonly baseUrl: string;
  readonly request: ServedRequest;
}

/**
 * The local gateway, a process of its own that all windows of the user share. The first use in any window starts
 * it, and it ends with the last window that used it, or when it is stopped.
 */
export class LocalGateway {
  readonly #program: string;
  #folder: string;
  readonly #version: string;
  readonly #handshakeFile: string | undefined;
  /** The user's consent to run it on a remote machine. */
  readonly consent: RemoteConsent;
  readonly #log: Log;
  readonly #gatewayLog: Log;
  readonly #onDidStop = new vscode.EventEmitter<void>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #onServed = new vscode.EventEmitter<ServedHere>();
  readonly #settings: vscode.Disposable;
  #isStopped = false;
  #control: GatewayControl | undefined;
  #address: Promise<LocalGatewayAddress> | undefined;
  #reached: LocalGatewayAddress | undefined;
  #isStarting = false;
  #isStartedHere = false;
  #isRestarting = false;
  #prepare: ((reached: ReachedGateway) => Promise<void>) | undefined;

  /** Fires when the gateway that this window used has ended, for whatever reason, or has another credential. */
  readonly onDidStop = this.#onDidStop.event;
  /** Fires when this window begins or ceases to use a gateway. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires with each request that it answered while this window uses it, of any program. */
  readonly onServed = this.#onServed.event;

  /** @param gatewayLog takes what the gateway itself tells */
  constructor(context: vscode.ExtensionContext, log: Log, gatewayLog: Log) {
    this.#program = context.asAbsolutePath('dist/gateway.js');
    this.#version = String(context.extension.packageJSON.version);
    this.#folder = vscode.Uri.joinPath(context.globalStorageUri, 'gateway').fsPath;
    this.#handshakeFile =
      context.extensionMode === vscode.ExtensionMode.Development
        ? process.env[developmentGateway]
        : undefined;
    this.consent = new RemoteConsent(context, this.isProvided);
    this.#log = log;
    this.#gatewayLog = gatewayLog;
    this.#settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('modelGateway.localGateway.keepRunning')) void this.#tellLifetime();
    });
  }

  /** Sets what happens before a gateway that was reached is used, such as handing over keys. */
  set prepare(prepare: (reached: ReachedGateway) => Promise<void>) {
    this.#prepare = prepare;
  }

  /** Whether a gateway was already started for this window, so that it can be used at once. */
  get isProvided(): boolean {
    return this.#handshakeFile !== undefined;
  }

  /** Whether this window uses one that runs. */
  get isRunning(): boolean {
    return this.#control !== undefined;
  }

  /** Whether it is about to run. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** The connection to the one that runs; undefined while none does, or it cannot be operated from here. */
  get control(): GatewayControl | undefined {
    return this.#control;
  }

  /** Whether this window started the one that runs. */
  get isStartedHere(): boolean {
    return this.#isStartedHere;
  }

  /** Whether this window ends it to start it again. */
  get isRestarting(): boolean {
    return this.#isRestarting;
  }

  /** Where the one that runs is reached. */
  get address(): LocalGatewayAddress | undefined {
    return this.#reached;
  }

  /** Where it keeps its state. */
  get folder(): string {
    return this.#folder;
  }

  /** Path of the configuration that names its upstreams. There may be no such file yet. */
  get configFile(): string {
    return join(this.#folder, configFileName);
  }

  /** Whether the user stopped it, and has done nothing in this window since that needs it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Returns the address of the running gateway, and starts it if needed.
   *
   * @param by what for: one that the user stopped starts again only for the user
   * @throws {NotStartedError} in a remote window without the user's consent
   */
  start(by: Starter = 'user'): Promise<LocalGatewayAddress> {
    if (this.#isStopped && by === 'task') return Promise.reject(new NotStartedError(stoppedWords()));
    this.#isStopped = false;
    this.#address ??= this.#start().catch((error) => {
      this.#address = undefined;
      throw error;
    });
    return this.#address;
  }

  /** Uses the one that another window started, or that went on without a window, where there is one. Starts none. */
  async join(): Promise<void> {
    if (this.#address || !this.consent.isGiven) return;
    await this.#findProvided();
    const reached = await joinGateway({ folder: this.#folder, version: this.#version });
    // Somebody may have started it meanwhile.
    if (!reached || this.#address) return reached?.control.dispose();
    this.#isStopped = false;
    this.#isStartedHere = false;
    this.#reached = reached.greeting;
    this.#address = this.#use(reached).then(() => reached.greeting);
    await this.#address;
    this.#onDidChange.fire();
  }

  /** Ends it for all windows, until the user does something that needs it. */
  stop(): void {
    this.#isStopped = this.#control !== undefined;
    this.#control?.stop().catch((error: unknown) => this.#log.info('gateway', errorMessage(error)));
  }

  /** Ends it for all windows, and starts it again at the same address. Replies under way are cut off. */
  async restart(): Promise<LocalGatewayAddress> {
    this.#isRestarting = true;
    try {
      await this.#control?.replace();
      return await this.start();
    } finally {
      this.#isRestarting = false;
    }
  }

  /** Leaves it to the other windows. */
  dispose(): void {
    this.#settings.dispose();
    this.#control?.dispose();
    this.#onDidStop.dispose();
    this.#onDidChange.dispose();
    this.#onServed.dispose();
  }

  async #start(): Promise<LocalGatewayAddress> {
    this.#isStarting = true;
    this.#onDidChange.fire();
    try {
      return await this.#open();
    } finally {
      this.#isStarting = false;
      this.#onDidChange.fire();
    }
  }

  async #open(): Promise<LocalGatewayAddress> {
    const address = await this.#reach();
    this.#keepSecret(address.credential);
    this.#reached = address;
    this.#log.info('gateway', `local gateway at ${address.baseUrl}`);
    return address;
  }

  async #reach(): Promise<LocalGatewayAddress> {
    if (!this.consent.isGiven) {
      throw new NotStartedError(
        vscode.l10n.t(
          'On a remote machine, the local gateway runs only with your permission. Start it to grant permission.',
        ),
      );
    }
    await this.#findProvided();
    let isStartedHere = false;
    const reached = await reachGateway({
      ...{ program: this.#program, folder: this.#folder, configFile: this.configFile },
      version: this.#version,
      log: (text) => this.#gatewayLog.info('gateway', text),
      starting: () => {
        isStartedHere = true;
      },
    });
    this.#isStartedHere = isStartedHere;
    await this.#use(reached);
    // One that was started beside VS Code goes on when this window closes.
    if (isStartedHere || !this.isProvided) await this.#tellLifetime();
    return reached.greeting;
  }

  /** Takes over the folder of the gateway that was started beside VS Code. */
  async #findProvided(): Promise<void> {
    if (this.#handshakeFile === undefined) return;
    const { credentialFile } = JSON.parse(await readFile(this.#handshakeFile, 'utf8')) as Record<
      string,
      string
    >;
    if (!credentialFile) throw new Error(`${developmentGateway} names a file without a handshake.`);
    this.#folder = dirname(credentialFile);
  }

  async #use(reached: ReachedGateway): Promise<void> {
    const { control, greeting } = reached;
    this.#keepSecret(greeting.credential);
    await this.#prepare?.(reached);
    this.#control = control;
    control.onLog((lines) => this.#gatewayLog.info('gateway', lines.join('\n')));
    control.onServed((request) => this.#onServed.fire({ baseUrl: greeting.baseUrl, request }));
    control.onDidClose(() => this.#ended(control));
    control.onDidChange(() => void this.#greetAgain(control).catch(() => {}));
    await control.followLog();
  }

  /** Takes over a credential that was replaced in any window. */
  async #greetAgain(control: GatewayControl): Promise<void> {
    const greeting = await control.hello(`${process.pid}`);
    if (control !== this.#control || greeting.credential === this.#reached?.credential) return;
    this.#keepSecret(greeting.credential);
    this.#reached = greeting;
    this.#address = Promise.resolve(greeting);
    this.#onDidChange.fire();
    this.#onDidStop.fire();
  }

  #keepSecret(credential: string): void {
    this.#log.keepSecret(credential);
    this.#gatewayLog.keepSecret(credential);
  }

  async #tellLifetime(): Promise<void> {
    await this.#control?.setLifetime(readSetting<boolean>('localGateway.keepRunning') !== true);
  }

  #ended(control: GatewayControl): void {
    this.#log.info('gateway', 'local gateway ended');
    this.#control = undefined;
    this.#address = undefined;
    this.#reached = undefined;
    this.#isStopped = control.isStopping;
    this.#onDidChange.fire();
    this.#onDidStop.fire();
  }
}

function stoppedWords(): string {
  return vscode.l10n.t('You stopped it. Start it again to continue.');
}
