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

/** The address and the credential of a running local gateway. */
interface LocalGatewayAddress {
  readonly baseUrl: string;
  readonly credential: string;
}

/** The initiator of a start: an action of the user, or a task in the background. */
export type StartInitiator = 'user' | 'task';

/** The environment variable with the path of a running gateway's handshake file. `npm start` sets the variable. */
const handshakeVariable = 'MODEL_GATEWAY_DEV_GATEWAY';

/** A request that the local gateway handled, and the gateway's address. */
interface ServedEvent {
  readonly baseUrl: string;
  readonly request: ServedRequest;
}

/**
 * The local gateway, a separate process that all windows of the user share. The first use in any window starts it,
 * and it exits after the last window that used it, or when it is stopped.
 */
export class LocalGateway {
  readonly #program: string;
  #folder: string;
  readonly #version: string;
  readonly #handshakeFile: string | undefined;
  /** The user's consent to run the gateway on a remote machine. */
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
  #prepare: ((gateway: ConnectedGateway) => Promise<void>) | undefined;

  /** Fires when the gateway that this window used has exited, for any reason, or has another credential. */
  readonly onDidStop = this.#onDidStop.event;
  /** Fires when this window starts or stops using a gateway. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires with each request of any program that the gateway handled, while this window uses the gateway. */
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
  set prepare(prepare: (gateway: ConnectedGateway) => Promise<void>) {
    this.#prepare = prepare;
  }

  /** Whether a gateway was started outside VS Code for this window. No consent is needed to use it. */
  get isProvided(): boolean {
    return this.#handshakeFile !== undefined;
  }

  /** Whether this window uses a running gateway. */
  get isRunning(): boolean {
    return this.#control !== undefined;
  }

  /** Whether this window is starting the gateway or connecting to it. */
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

  /** Whether this window is restarting the gateway. */
  get isRestarting(): boolean {
    return this.#isRestarting;
  }

  /** The address and credential of the running gateway. */
  get address(): LocalGatewayAddress | undefined {
    return this.#currentAddress;
  }

  /** The path of the configuration with the gateway's upstreams. The file may not exist yet. */
  get configFile(): string {
    return join(this.#folder, configFileName);
  }

  /** Whether the user stopped the gateway and did not use it in this window again. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Returns the address of the running gateway. Starts the gateway if needed.
   *
   * @param initiator the initiator of the start. A stopped gateway starts again only for the user.
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

  /** Stores the result of a start. A failed start is removed, unless another start has begun in the meantime. */
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

  /** Connects to a gateway that another window started, or that still runs without a window. Does not start one. */
  async join(): Promise<void> {
    if (this.#addressPromise || !this.consent.isGiven) return;
    await this.#findFolder();
    const gateway = await connectToRunningGateway({ folder: this.#folder, version: this.#version });
    // Another call may have started the gateway in the meantime.
    if (!gateway || this.#addressPromise) return gateway?.control.dispose();
    this.#isStopped = false;
    this.#isStartedHere = false;
    this.#currentAddress = gateway.greeting;
    try {
      await this.#setAddress(this.#use(gateway).then(() => gateway.greeting));
    } finally {
      this.#onDidChange.fire();
    }
  }

  /** Stops the gateway for all windows. It starts again when the user needs it. */
  stop(): void {
    this.#isStopped = this.#control !== undefined;
    this.#control?.stop().catch((error: unknown) => this.#log.info('gateway', errorMessage(error)));
  }

  /** Restarts the gateway for all windows, at the same address. Replies in progress are cut off. */
  async restart(): Promise<LocalGatewayAddress> {
    this.#isRestarting = true;
    try {
      await this.#control?.replace();
      return await this.start();
    } finally {
      this.#isRestarting = false;
    }
  }

  /** Disconnects this window. Other windows continue to use the gateway. */
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
    const gateway = await connectOrStartGateway({
      program: this.#program,
      folder: this.#folder,
      configFile: this.configFile,
      version: this.#version,
      log: (text) => this.#gatewayLog.info('gateway', text),
      onStart: () => {
        isStartedHere = true;
      },
    });
    this.#isStartedHere = isStartedHere;
    await this.#use(gateway);
    // A gateway that was started outside VS Code must continue to run when this window closes.
    if (isStartedHere || !this.isProvided) await this.#sendLifetime();
    const { greeting } = gateway;
    this.#currentAddress = greeting;
    this.#log.info('gateway', `local gateway at ${greeting.baseUrl}`);
    return greeting;
  }

  /** Reads the folder of the gateway that was started outside VS Code. */
  async #findFolder(): Promise<void> {
    if (this.#handshakeFile === undefined) return;
    const { credentialFile } = JSON.parse(await readFile(this.#handshakeFile, 'utf8')) as Record<
      string,
      string
    >;
    if (!credentialFile) throw new Error(`${handshakeVariable} names a file without a handshake.`);
    this.#folder = dirname(credentialFile);
  }

  /** Prepares a running gateway and follows its events. Disconnects if this fails. */
  async #use(gateway: ConnectedGateway): Promise<void> {
    const { control, greeting } = gateway;
    this.#hideInLogs(greeting.credential);
    try {
      await this.#prepare?.(gateway);
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
