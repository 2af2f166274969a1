import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import type { GatewayGreeting, GatewayStatus, UpstreamAccess } from '../../protocol/gatewayControl.ts';
import { Credentials } from '../config/access.ts';
import { type ReadConfig, readConfig } from '../config/configFile.ts';
import { accessOf, accessWords, Consents } from '../config/consents.ts';
import { keptCredential, replaceCredential } from '../config/credentialFile.ts';
import { Keys } from '../config/keys.ts';
import type { Options } from '../config/options.ts';
import { openStateFolder, type StateFolder } from '../config/stateFolder.ts';
import { demoUpstream } from '../demo/upstream/demoUpstream.ts';
import type { ExchangeRecord } from '../server/exchangeRecord.ts';
import type { ExchangeObserver } from '../server/guardedServer.ts';
import { taskFile } from '../tasks/taskFile.ts';
import { type AccessWriter, accessWriter } from './accessLog.ts';
import { type Controlled, type ControlSocket, openControlSocket } from './controlSocket.ts';
import { FollowedFile } from './followedFile.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { GatewayLog, lineLog } from './gatewayLog.ts';
import { type Instance, takeInstance } from './instance.ts';
import { Metrics } from './metrics.ts';
import { listenOnPort } from './port.ts';
import { Serving } from './serving.ts';
import { askTerminal, hasTerminal, meansReload } from './terminal.ts';
import { type TriedUpstream, tryUpstream } from './tryUpstream.ts';
import { version } from './version.ts';
import { Windows } from './windows.ts';

const lines = lineLog((text) => process.stderr.write(text));

/**
 * Runs the gateway until it is stopped, which ends the process.
 *
 * @throws {ConfigError}
 * @throws {RunsAlready} when another one runs with the folder
 */
export async function runGateway(options: Options): Promise<void> {
  // An error in it is told whether or not another one runs.
  const read =
    options.config !== undefined && !startsAnyway(options) ? readConfig(options.config) : undefined;
  const state = openStateFolder(options.state);
  const instance = await takeInstance(state);
  if (read && !isOwnFile(options, state)) await begin(new Consents(state.consents), read, options);
  await new GatewayProcess(options, state, instance).start();
}

/** Takes the user's consent to what the configuration says of upstreams: by the option, or by an answer. */
async function begin(consents: Consents, read: ReadConfig, { trust }: Options): Promise<void> {
  consents.begin(read);
  const waiting = consents.waiting(read).map(accessOf);
  if (waiting.length === 0) return;
  const lines = waiting.map((access) => `  ${accessWords(access, 'in-full')}`);
  const question = `The configuration ${read.file} says something new of keys and addresses:\n${lines.join('\n')}\nAllow this?`;
  if (trust || (await askTerminal(question))) consents.add(waiting);
}

/** Nobody but the user writes into the gateway's own folder. Files of windows are edited by hand, or by others. */
function consentsFor(options: Options, state: StateFolder): Consents | undefined {
  const isExempt = options.config === undefined || (isOwnFile(options, state) && !startsAnyway(options));
  return isExempt ? undefined : new Consents(state.consents);
}

/** Whether the file itself is in the folder, and not a link to another place. */
function isOwnFile({ config }: Options, { path }: StateFolder): boolean {
  if (config === undefined) return false;
  const file = existsSync(config) ? realpathSync(config) : resolve(config);
  return dirname(file) === realpathSync(path);
}

/** The gateway as this process runs it. */
class GatewayProcess implements Controlled {
  readonly log: GatewayLog;
  readonly windows: Windows;
  readonly #options: Options;
  readonly #state: StateFolder;
  readonly #instance: Instance;
  readonly #startedAt = Date.now();
  readonly #metrics = new Metrics(this.#startedAt);
  readonly #hadTerminal = hasTerminal();
  readonly #keys = new Keys(process.env);
  readonly #credentials: Credentials;
  readonly #serving: Serving;
  readonly #consents: Consents | undefined;
  readonly #access: AccessWriter;
  readonly #configFile: FollowedFile | undefined;
  #credential: string;
  #gateway: Gateway | undefined;
  #control: ControlSocket | undefined;
  #isStopping = false;

  /** @throws {ConfigError} */
  constructor(options: Options, state: StateFolder, instance: Instance) {
    this.#options = options;
    this.#state = state;
    this.#instance = instance;
    this.#credential = options.newCredential
      ? replaceCredential(state.credential)
      : keptCredential(state.credential, lines.write);
    this.log = new GatewayLog(lines, () => [this.#credential, ...this.#keys.secrets]);
    this.#credentials = new Credentials(this.#credential, () => performance.now());
    this.#configFile = options.config === undefined ? undefined : new FollowedFile(options.config);
    this.#consents = consentsFor(options, state);
    this.#serving = new Serving({
      ...(options.demo && { demo: demoUpstream({ tokensPerSecond: options.pace, clips: clipFolder() }) }),
      file: options.config,
      keys: this.#keys,
      credentials: this.#credentials,
      log: this.log.add,
      changed: () => this.#control?.changed(),
      startsAnyway: startsAnyway(options),
      isOwnFile: startsAnyway(options) && isOwnFile(options, state),
      consents: this.#consents,
    });
    this.#access = accessWriter(options.accessLog, this.log);
    const { whileWindows } = options;
    this.windows = new Windows(whileWindows !== undefined, (whileWindows ?? 0) * 1000, () => this.stop());
  }

  async start(): Promise<void> {
    const { baseUrl } = await this.#listen();
    this.#control = await openControlSocket(this);
    this.#followSignals();
    this.#configFile?.follow(() => this.#tryReload());
    this.#instance.announce({ pid: process.pid, baseUrl, socket: this.#control.path });
    this.log.add(`listening on ${baseUrl}`);
    process.stdout.write(`${JSON.stringify({ baseUrl, credentialFile: this.#state.credential })}\n`);
  }

  greeting(): GatewayGreeting {
    return {
      pid: process.pid,
      version,
      baseUrl: this.#gateway?.baseUrl ?? '',
      credential: this.#credential,
      servesDemo: this.#options.demo,
      startedAt: this.#startedAt,
      upstreams: this.#serving.upstreams,
    };
  }

  async status(): Promise<GatewayStatus> {
    const { count, whileWindows } = this.windows;
    const { underWay } = this.#metrics;
    return { ...(await this.#serving.status()), windows: count, whileWindows, openRequests: underWay };
  }

  tryUpstream(...asked: Parameters<typeof tryUpstream>): Promise<TriedUpstream> {
    return tryUpstream(...asked);
  }

  takeKeys(keys: Readonly<Record<string, string>>): void {
    this.#keys.receive(keys);
    this.#serving.doubt(Object.keys(keys));
    this.#control?.changed();
  }

  consent(access: UpstreamAccess): void {
    this.#consents?.add([access]);
    this.log.add(`You allowed that ${accessWords(access)}.`);
    this.#serving.doubt();
    this.#control?.changed();
  }

  reload(): void {
    this.#credential = keptCredential(this.#state.credential, this.log.add);
    this.#credentials.setOwn(this.#credential);
    this.#access.reopen();
    this.#consents?.read();
    try {
      this.#serving.reload();
    } finally {
      this.#control?.changed();
    }
  }

  newCredential(): void {
    this.#credential = replaceCredential(this.#state.credential);
    this.#credentials.setOwn(this.#credential);
    this.log.add('The credential was replaced.');
    this.#control?.changed();
  }

  stop(isReplaced = false): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (!isReplaced) this.#control?.stopping();
    this.#close().then(
      () => process.exit(0),
      (error: unknown) => {
        this.log.add(errorMessage(error));
        process.exit(1);
      },
    );
  }

  async #listen(): Promise<Gateway> {
    const { log } = this;
    const { catalogue, port: configured } = this.#serving;
    const metrics = this.#metrics;
    const tasks = taskFile(this.#options.tasks ?? this.#state.tasks, log.add);
    const observer = exchangeObserver(metrics, this.#access, log);
    const credentials = this.#credentials;
    this.#gateway = await listenOnPort(this.#options.port ?? configured, this.#state.port, (port) =>
      startGateway({ catalogue, tasks, credentials, metrics, observer, port, log: log.add }),
    );
    return this.#gateway;
  }

  #followSignals(): void {
    process.once('exit', lines.flush);
    process.on('SIGTERM', () => this.stop());
    process.on('SIGINT', () => this.stop());
    process.on('SIGHUP', () => (meansReload(this.#hadTerminal) ? this.#tryReload() : this.stop()));
  }

  #tryReload(): void {
    try {
      this.reload();
    } catch (error) {
      this.log.add(`${errorMessage(error)}\nThe configuration stays as it was.`);
    }
  }

  async #close(): Promise<void> {
    this.#configFile?.dispose();
    this.windows.dispose();
    await Promise.all([this.#gateway?.close(), this.#control?.close()]);
    this.#access.close();
    this.#instance.release();
  }
}

/** Counts every request and writes it down, without secrets that a caller puts into it. */
function exchangeObserver(metrics: Metrics, access: AccessWriter, log: GatewayLog): ExchangeObserver {
  return {
    begin: () => metrics.begin(),
    end(record) {
      const told = withoutSecrets(record, log);
      metrics.end(told);
      access.add(told);
    },
  };
}

/** Callers choose these words. */
function withoutSecrets(record: ExchangeRecord, log: GatewayLog): ExchangeRecord {
  const model = record.model === undefined ? undefined : log.withoutSecrets(record.model);
  const requestId = log.withoutSecrets(record.requestId);
  const isPlain = model === record.model && requestId === record.requestId;
  return isPlain ? record : { ...record, model, requestId };
}

/** A window shows what is wrong with the configuration, and the demo goes on meanwhile. */
function startsAnyway({ demo, whileWindows }: Options): boolean {
  return demo && whileWindows !== undefined;
}

/** Beside the folder of the bundle, or beside that of the sources. */
function clipFolder(): string {
  // A link leads to the program where npm installed it.
  const program = dirname(realpathSync(process.argv[1] ?? '.'));
  const besideBundle = join(program, '../media/demo');
  return existsSync(besideBundle) ? besideBundle : join(program, '../../media/demo');
}
