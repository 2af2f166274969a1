import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { errorMessage } from '../../base/errors.ts';
import type { GatewayGreeting, GatewayStatus, UpstreamAccess } from '../../protocol/gatewayControl.ts';
import { type LoadedConfig, readConfig } from '../config/configFile.ts';
import { Consents, describeAccess, readUpstreamAccess } from '../config/consents.ts';
import { readOrCreateCredential, replaceCredential } from '../config/credentialFile.ts';
import { GatewayCredentials } from '../config/gatewayCredentials.ts';
import { KeySources } from '../config/keySources.ts';
import type { Options } from '../config/options.ts';
import { openStateFolder, type StateFolder } from '../config/stateFolder.ts';
import { createDemoUpstream } from '../demo/demoUpstream.ts';
import type { ServedExchangeRecord } from '../server/exchangeNotes.ts';
import { GatewaySpending } from '../server/gatewaySpending.ts';
import type { ExchangeObserver } from '../server/guardedServer.ts';
import { createTaskFile } from '../tasks/taskFile.ts';
import { ConfiguredModels } from './configuredModels.ts';
import { type ControlledGateway, type ControlSocket, openControlSocket } from './controlSocket.ts';
import { FileWatcher } from './fileWatcher.ts';
import { type AccessWriter, createAccessWriter, createLineLog, GatewayLog } from './gatewayLog.ts';
import { listenOnPort } from './listenOnPort.ts';
import { Metrics } from './metrics.ts';
import { acquireInstance, type Instance } from './runningInstance.ts';
import { type ServedGateway, startGateway } from './startGateway.ts';
import { tryUpstream } from './tryUpstream.ts';
import { Windows } from './windows.ts';

/** The version of the program. A test compares it with package.json. */
export const version = '0.1.0';

const stderrLog = createLineLog((text) => process.stderr.write(text));

/**
 * Runs the gateway until it is stopped, which ends the process.
 *
 * @throws {ConfigError}
 * @throws {AlreadyRunningError} if another gateway runs with the folder
 */
export async function runGateway(options: Options): Promise<void> {
  // Errors in the configuration are reported even if another gateway runs.
  const loaded =
    options.config !== undefined && !toleratesInvalidConfig(options) ? readConfig(options.config) : undefined;
  const state = openStateFolder(options.state);
  const instance = await acquireInstance(state);
  if (loaded && !isOwnFile(options, state))
    await requestConsent(new Consents(state.consents), loaded, options);
  await new GatewayProcess(options, state, instance).start();
}

/**
 * Stores the user's consent to the upstreams of the configuration, if the user consents by an option or in the
 * terminal.
 */
async function requestConsent(consents: Consents, loaded: LoadedConfig, { trust }: Options): Promise<void> {
  consents.allowNewFile(loaded);
  const waiting = consents.listUpstreamsWithoutConsent(loaded).map(readUpstreamAccess);
  if (waiting.length === 0) return;
  const lines = waiting.map((access) => `  ${describeAccess(access, 'in-full')}`);
  const question = `The configuration ${loaded.file} has new keys or addresses:\n${lines.join('\n')}\nAllow this?`;
  if (trust || (await confirmInTerminal(question))) consents.add(waiting);
}

/**
 * Opens the user's consents. Returns undefined for a file in the gateway's own folder, because only the user can
 * change it. If VS Code started the gateway, such a file also needs consent, which the user gives in a view.
 */
function openConsents(options: Options, state: StateFolder): Consents | undefined {
  const isExempt =
    options.config === undefined || (isOwnFile(options, state) && !toleratesInvalidConfig(options));
  return isExempt ? undefined : new Consents(state.consents);
}

/**
 * Whether the configuration file itself is in the gateway's folder. A link to a file in another folder does not
 * count.
 */
function isOwnFile({ config }: Options, { path }: StateFolder): boolean {
  if (config === undefined) return false;
  const file = existsSync(config) ? realpathSync(config) : resolve(config);
  return dirname(file) === realpathSync(path);
}

/** The gateway in this process. */
class GatewayProcess implements ControlledGateway {
  readonly log: GatewayLog;
  readonly windows: Windows;
  readonly tryUpstream = tryUpstream;
  readonly #options: Options;
  readonly #state: StateFolder;
  readonly #instance: Instance;
  readonly #metrics = new Metrics(Date.now());
  readonly #hadTerminal = hasTerminal();
  readonly #keys = new KeySources(process.env);
  readonly #credentials: GatewayCredentials;
  readonly #spending: GatewaySpending;
  readonly #models: ConfiguredModels;
  readonly #consents: Consents | undefined;
  readonly #accessWriter: AccessWriter;
  readonly #configWatcher: FileWatcher | undefined;
  #credential: string;
  #gateway: ServedGateway | undefined;
  #controlSocket: ControlSocket | undefined;
  #isStopping = false;

  /** @throws {ConfigError} */
  constructor(options: Options, state: StateFolder, instance: Instance) {
    this.#options = options;
    this.#state = state;
    this.#instance = instance;
    this.#credential = options.replacesCredential
      ? replaceCredential(state.credential)
      : readOrCreateCredential(state.credential, stderrLog.write);
    this.log = new GatewayLog(stderrLog, () => [this.#credential, ...this.#keys.secrets]);
    this.#credentials = new GatewayCredentials(this.#credential, () => performance.now());
    this.#configWatcher = options.config === undefined ? undefined : new FileWatcher(options.config);
    this.#consents = openConsents(options, state);
    this.#spending = new GatewaySpending(state.spending, this.log.add, this.#metrics.addTaskCost);
    this.#models = new ConfiguredModels({
      ...(options.demo && {
        demo: createDemoUpstream({ tokensPerSecond: options.pace, clips: findClipFolder() }),
      }),
      file: options.config,
      keys: this.#keys,
      credentials: this.#credentials,
      spending: this.#spending,
      log: this.log.add,
      onChange: () => this.#controlSocket?.notifyChanged(),
      toleratesInvalidConfig: toleratesInvalidConfig(options),
      isOwnFile: toleratesInvalidConfig(options) && isOwnFile(options, state),
      consents: this.#consents,
    });
    this.#accessWriter = createAccessWriter(options.accessLog, this.log);
    const { exitAfterWindows } = options;
    this.windows = new Windows(exitAfterWindows !== undefined, (exitAfterWindows ?? 0) * 1000, () =>
      this.stop(),
    );
  }

  async start(): Promise<void> {
    const { baseUrl } = await this.#listen();
    this.#controlSocket = await openControlSocket(this);
    this.#followSignals();
    this.#configWatcher?.watch(() => this.#tryReload());
    this.#instance.publish({ pid: process.pid, baseUrl, socket: this.#controlSocket.path });
    this.log.add(`listening on ${baseUrl}`);
    process.stdout.write(`${JSON.stringify({ baseUrl, credentialFile: this.#state.credential })}\n`);
  }

  createGreeting(): GatewayGreeting {
    return {
      version,
      baseUrl: this.#gateway?.baseUrl ?? '',
      credential: this.#credential,
      upstreams: this.#models.upstreams,
    };
  }

  async readStatus(): Promise<GatewayStatus> {
    const { count, exitsAfterWindows } = this.windows;
    const { openRequests } = this.#metrics;
    return { ...(await this.#models.readStatus()), windows: count, exitsAfterWindows, openRequests };
  }

  receiveKeys(keys: Readonly<Record<string, string>>): void {
    this.#keys.receive(keys);
    this.#models.invalidateLists(Object.keys(keys));
    this.#controlSocket?.notifyChanged();
  }

  addConsent(access: UpstreamAccess): void {
    this.#consents?.add([access]);
    this.log.add(`Allowed: ${describeAccess(access)}.`);
    this.#models.invalidateLists();
    this.#controlSocket?.notifyChanged();
  }

  reload(): void {
    this.#credential = readOrCreateCredential(this.#state.credential, this.log.add);
    this.#credentials.setOwn(this.#credential);
    this.#accessWriter.reopen();
    this.#consents?.read();
    try {
      this.#models.reload();
    } finally {
      this.#controlSocket?.notifyChanged();
    }
  }

  replaceCredential(): void {
    this.#credential = replaceCredential(this.#state.credential);
    this.#credentials.setOwn(this.#credential);
    this.log.add('The credential was replaced.');
    this.#controlSocket?.notifyChanged();
  }

  stop(isReplaced = false): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (!isReplaced) this.#controlSocket?.notifyStopping();
    this.#close().then(
      () => process.exit(0),
      (error: unknown) => {
        this.log.add(errorMessage(error));
        process.exit(1);
      },
    );
  }

  async #listen(): Promise<ServedGateway> {
    const { log } = this;
    const { catalogue, port: configuredPort } = this.#models;
    const metrics = this.#metrics;
    const tasks = createTaskFile(this.#options.tasks ?? this.#state.tasks, log.add);
    const observer = createExchangeObserver(metrics, this.#accessWriter, log);
    const credentials = this.#credentials;
    const spending = this.#spending;
    this.#gateway = await listenOnPort(this.#options.port ?? configuredPort, this.#state.port, (port) =>
      startGateway({ catalogue, tasks, credentials, metrics, observer, spending, port, log: log.add }),
    );
    return this.#gateway;
  }

  #followSignals(): void {
    process.once('exit', stderrLog.flush);
    process.on('SIGTERM', () => this.stop());
    process.on('SIGINT', () => this.stop());
    process.on('SIGHUP', () => (isReloadSignal(this.#hadTerminal) ? this.#tryReload() : this.stop()));
  }

  #tryReload(): void {
    try {
      this.reload();
    } catch (error) {
      this.log.add(`${errorMessage(error)}\nThe previous configuration stays in use.`);
    }
  }

  async #close(): Promise<void> {
    this.#configWatcher?.dispose();
    this.windows.dispose();
    await Promise.all([this.#gateway?.close(), this.#controlSocket?.close()]);
    this.#accessWriter.close();
    this.#instance.release();
  }
}

/** Creates an observer that counts and logs every request, without secrets that the caller put into it. */
function createExchangeObserver(metrics: Metrics, access: AccessWriter, log: GatewayLog): ExchangeObserver {
  return {
    begin: () => metrics.begin(),
    end(record) {
      const safeRecord = hideRecordSecrets(record, log);
      metrics.end(safeRecord);
      access.add(safeRecord);
    },
  };
}

/** Hides secrets in the values of a record that callers choose. */
function hideRecordSecrets(record: ServedExchangeRecord, log: GatewayLog): ServedExchangeRecord {
  const model = record.model === undefined ? undefined : log.hideSecrets(record.model);
  const requestId = log.hideSecrets(record.requestId);
  const isUnchanged = model === record.model && requestId === record.requestId;
  return isUnchanged ? record : { ...record, model, requestId };
}

/**
 * Whether the gateway also starts with an invalid configuration. It does so if VS Code started it, because a view
 * shows the problem.
 */
function toleratesInvalidConfig({ demo, exitAfterWindows }: Options): boolean {
  return demo && exitAfterWindows !== undefined;
}

/** Finds the folder of the demo clips, next to the folder of the bundle or of the sources. */
function findClipFolder(): string {
  // With npm, the program is started through a link.
  const program = dirname(realpathSync(process.argv[1] ?? '.'));
  const bundledClips = join(program, '../media/demo');
  return existsSync(bundledClips) ? bundledClips : join(program, '../../media/demo');
}

/** Whether this process has a terminal. The result changes when the terminal's window is closed. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the signal SIGHUP is a request to read the configuration again. It is also sent when the terminal of the
 * gateway is closed.
 *
 * @param hadTerminal whether there was a terminal at the start
 */
export function isReloadSignal(hadTerminal: boolean, hasTerminalNow: () => boolean = hasTerminal): boolean {
  // Windows sends the signal when a console is closed, and ends the process soon afterwards.
  return process.platform !== 'win32' && (!hadTerminal || hasTerminalNow());
}

/** Prompts the user in the terminal. Returns false without a terminal, and for any reply except yes. */
async function confirmInTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
