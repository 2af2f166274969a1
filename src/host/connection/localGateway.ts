import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import type { Log } from '../kit/display/log.ts';
import { readSetting } from '../kit/manifest/settings.ts';
import { configFileName } from './emptyConfig.ts';
import type { GatewayControl } from './gatewayControl.ts';
import { type ConnectedGateway, connectOrStartGateway, connectToRunningGateway } from './gatewayProcess.ts';
import { RemoteConsent } from './remoteConsent.ts';
import { NotStartedError } from './unsentError.ts';

/** The address of a running local gateway and its credential. */
interface LocalGatewayAddress {
  readonly baseUrl: string;
  readonly credential: string;
}

/** The initiator of a start: the user's action, or a task that runs by itself. */
export type StartInitiator = 'user' | 'task';

/** The environment variable with the path of the handshake file of a running gateway. `npm start` sets it. */
const handshakeVariable = 'MODEL_GATEWAY_DEV_GATEWAY';

/** A request that the local gateway handled, and the gateway's address. */
interface ServedEvent {
  readonly baseUrl: string;
  readonly request: ServedRequest;
}

/**
 * The local gateway, a separate process that all windows of the user share. The first use in any window starts it,
 * and it ends with the last window that used it, or when it is stopped.
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
  readonly #onServed = new vscode.EventEmitter<ServedEvent>();
  readonly #settings: vscode.Disposable;
  #isStopped = false;
  #control: GatewayControl | undefined;
  #addressPromise: Promise<LocalGatewayAddress> | undefined;
  #currentAddress: LocalGatewayAddress | undefined;
  #isStarting = false;
  #isStartedHere = false;
  #isRestarting = false;
  #prepare: ((reached: ConnectedGateway) => Promise<void>) | undefined;

  /** Fires when the gateway that this window used has ended, for any reason, or has another credential. */
  readonly onDidStop = this.#onDidStop.event;
  /** Fires when this window starts or stops using a gateway. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires with each request that it handled while this window uses it, of any program. */
  readonly onServed = this.#onServed.event;

  /** @param gatewayLog receives the gateway's own log lines */
  constructor(context: vscode.ExtensionContext, log: Log, gatewayLog: Log) {
    this.#program = context.asAbsolutePath('dist/gateway.js');
    this.#version = String(context.extension.packageJSON.version);
    this.#folder = vscode.Uri.joinPath(context.globalStorageUri, 'gateway').fsPath;
    this.#handshakeFile =
      context.extensionMode === vscode.ExtensionMode.Development ? process.env[handshakeVariable] : undefined;
    this.consent = new RemoteConsent(context, this.isProvided);
    this.#log = log;
    this.#gatewayLog = gatewayLog;
    this.#settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('modelGateway.localGateway.keepRunning')) void this.#sendLifetime();
    });
  }

  /** Sets a function that runs before a running gateway is used, for example to send keys. */
  set prepare(prepare: (reached: ConnectedGateway) => Promise<void>) {
    this.#prepare = prepare;
  }

  /** Whether a gateway was started outside VS Code for this window, so that it can be used at once. */
  get isProvided(): boolean {
    return this.#handshakeFile !== undefined;
  }

  /** Whether this window uses a running gateway. */
  get isRunning(): boolean {
    return this.#control !== undefined;
  }

  /** Whether this window is starting or connecting to it. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** The connection to the running gateway; undefined if this window does not use one. */
  get control(): GatewayControl | undefined {
    return this.#control;
  }

  /** Whether this window started the running gateway. */
  get isStartedHere(): boolean {
    return this.#isStartedHere;
  }

  /** Whether this window is restarting it. */
  get isRestarting(): boolean {
    return this.#isRestarting;
  }

  /** The address and credential of the running gateway. */
  get address(): LocalGatewayAddress | undefined {
    return this.#currentAddress;
  }

  /** Path of the configuration that lists its upstreams. The file may not exist yet. */
  get configFile(): string {
    return join(this.#folder, configFileName);
  }

  /** Whether the user stopped it, and has not used it in this window since. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Returns the address of the running gateway, and starts it if needed.
   *
   * @param initiator a stopped gateway starts again only for the user
   * @throws {NotStartedError} in a remote window without the user's consent
   */
  start(initiator: StartInitiator = 'user'): Promise<LocalGatewayAddress> {
    if (this.#isStopped && initiator === 'task')
      return Promise.reject(
        new NotStartedError(vscode.l10n.t('You stopped it. Start it again to continue.')),
      );
    this.#isStopped = false;
    return this.#addressPromise ?? this.#setAddress(this.#start());
  }

  /** Stores a start. A failed start is forgotten, unless another start has begun since. */
  #setAddress(starting: Promise<LocalGatewayAddress>): Promise<LocalGatewayAddress> {
    const address = starting.catch((error) => {
      if (this.#addressPromise === address) {
        this.#addressPromise = undefined;
        this.#currentAddress = undefined;
      }
      throw error;
    });
    this.#addressPromise = address;
    return address;
  }

  /** Uses a gateway that another window started, or that still runs without a window. Does not start one. */
  async join(): Promise<void> {
    if (this.#addressPromise || !this.consent.isGiven) return;
    await this.#findFolder();
    const reached = await connectToRunningGateway({ folder: this.#folder, version: this.#version });
    // Another call may have started it in the meantime.
    if (!reached || this.#addressPromise) return reached?.control.dispose();
    this.#isStopped = false;
    this.#isStartedHere = false;
    this.#currentAddress = reached.greeting;
    try {
      await this.#setAddress(this.#use(reached).then(() => reached.greeting));
    } finally {
      this.#onDidChange.fire();
    }
  }

  /** Ends it for all windows. It starts again when the user does something that needs it. */
  stop(): void {
    this.#isStopped = this.#control !== undefined;
    this.#control?.stop().catch((error: unknown) => this.#log.info('gateway', errorMessage(error)));
  }

  /** Ends it for all windows, and starts it again at the same address. Replies in progress are cut off. */
  async restart(): Promise<LocalGatewayAddress> {
    this.#isRestarting = true;
    try {
      await this.#control?.replace();
      return await this.start();
    } finally {
      this.#isRestarting = false;
    }
  }

  /** Disconnects this window; the other windows continue to use it. */
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
    if (!this.consent.isGiven) {
      throw new NotStartedError(
        vscode.l10n.t(
          'On a remote machine, the local gateway runs only with your permission. Start it to grant permission.',
        ),
      );
    }
    await this.#findFolder();
    let isStartedHere = false;
    const reached = await connectOrStartGateway({
      ...{ program: this.#program, folder: this.#folder, configFile: this.configFile },
      version: this.#version,
      log: (text) => this.#gatewayLog.info('gateway', text),
      onStart: () => {
        isStartedHere = true;
      },
    });
    this.#isStartedHere = isStartedHere;
    await this.#use(reached);
    // A gateway that was started outside VS Code keeps running when this window closes.
    if (isStartedHere || !this.isProvided) await this.#sendLifetime();
    const { greeting } = reached;
    this.#currentAddress = greeting;
    this.#log.info('gateway', `local gateway at ${greeting.baseUrl}`);
    return greeting;
  }

  /** Uses the folder of the gateway that was started outside VS Code. */
  async #findFolder(): Promise<void> {
    if (this.#handshakeFile === undefined) return;
    const { credentialFile } = JSON.parse(await readFile(this.#handshakeFile, 'utf8')) as Record<
      string,
      string
    >;
    if (!credentialFile) throw new Error(`${handshakeVariable} names a file without a handshake.`);
    this.#folder = dirname(credentialFile);
  }

  /** Uses a running gateway after preparing it. Disconnects if this fails. */
  async #use(reached: ConnectedGateway): Promise<void> {
    const { control, greeting } = reached;
    this.#hideInLogs(greeting.credential);
    try {
      await this.#prepare?.(reached);
      this.#control = control;
      control.onLog((lines) => this.#gatewayLog.info('gateway', lines.join('\n')));
      control.onServed((request) => this.#onServed.fire({ baseUrl: greeting.baseUrl, request }));
      control.onDidClose(() => this.#handleClose(control));
      control.onDidChange(() => void this.#updateCredential(control).catch(() => {}));
      await control.followLog();
    } catch (error) {
      if (this.#control === control) this.#control = undefined;
      control.dispose();
      throw error;
    }
  }

  /** Reads the credential again, because any window may have replaced it. */
  async #updateCredential(control: GatewayControl): Promise<void> {
    const greeting = await control.greet();
    if (control !== this.#control || greeting.credential === this.#currentAddress?.credential) return;
    this.#hideInLogs(greeting.credential);
    this.#currentAddress = greeting;
    this.#addressPromise = Promise.resolve(greeting);
    this.#onDidChange.fire();
    this.#onDidStop.fire();
  }

  #hideInLogs(credential: string): void {
    this.#log.hideSecret(credential);
    this.#gatewayLog.hideSecret(credential);
  }

  async #sendLifetime(): Promise<void> {
    await this.#control?.setLifetime(readSetting<boolean>('localGateway.keepRunning') !== true);
  }

  #handleClose(control: GatewayControl): void {
    if (control !== this.#control) return;
    this.#log.info('gateway', 'local gateway ended');
    this.#control = undefined;
    this.#addressPromise = undefined;
    this.#currentAddress = undefined;
    this.#isStopped = control.wasStopped;
    this.#onDidChange.fire();
    this.#onDidStop.fire();
  }
}
