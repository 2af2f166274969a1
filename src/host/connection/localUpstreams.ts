import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { untilAborted } from '../../base/cancellation.ts';
import type { Disposable } from '../../base/emitter.ts';
import { errorMessage } from '../../base/errors.ts';
import type { GatewayStatus, UpstreamStatus } from '../../protocol/gatewayControl.ts';
import type { Log } from '../kit/display/log.ts';
import type { Credentials } from './credentials.ts';
import type { GatewayControl } from './gatewayControl.ts';
import type { ConnectedGateway } from './gatewayProcess.ts';
import type { LocalGateway } from './localGateway.ts';

/**
 * The timeout for sending keys before a gateway is used, in milliseconds. The keyring may be prompting the user.
 */
const prepareMs = 3_000;
/** The delay before the status of an upstream with a problem is read again, in milliseconds. */
const retryMs = 30_000;

/** The state of the local gateway's upstreams. */
export interface UpstreamsState {
  /** The status of the gateway; absent while it does not run or has not reported its status yet. */
  readonly status?: GatewayStatus;
  /** Whether the configuration may contain upstreams. */
  readonly isConfigured: boolean;
  /** The names of the upstreams whose stored keys are missing in VS Code's storage. */
  readonly lostKeys: readonly string[];
}

/** Follows the state of the local gateway's upstreams, and sends their keys to the gateway. */
export class LocalUpstreams {
  readonly #localGateway: LocalGateway;
  readonly #keys: Credentials;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<UpstreamsState>();
  readonly #onDidChangeModels = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly Disposable[];
  readonly #sentKeys = new Map<string, string>();
  #control: GatewayControl | undefined;
  #controlSubscription: Disposable | undefined;
  #state: UpstreamsState = { isConfigured: false, lostKeys: [] };
  #reading: Promise<void> | undefined;
  #isStale = false;
  /** The last value of `listing` in the gateway's status. */
  #listing: string | undefined;
  #retryTimer: NodeJS.Timeout | undefined;

  /** Fires after each read of the state. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when the running gateway may list other models than before. */
  readonly onDidChangeModels = this.#onDidChangeModels.event;

  /** @param keys the keys of upstreams, by their names and origins */
  constructor(localGateway: LocalGateway, keys: Credentials, log: Log) {
    this.#localGateway = localGateway;
    this.#keys = keys;
    this.#log = log;
    localGateway.prepare = (gateway) => this.#prepare(gateway);
    this.#subscriptions = [
      localGateway.onDidChange(() => void this.refresh()),
      keys.onDidChange(() => void this.refresh()),
    ];
  }

  get state(): UpstreamsState {
    return this.#state;
  }

  /** Reads the gateway's status again. Calls during a read share one further read after it. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readWhileStale().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  dispose(): void {
    clearTimeout(this.#retryTimer);
    this.#controlSubscription?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeModels.dispose();
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.#follow(this.#localGateway.control);
      this.#state = await this.#readState();
      this.#onDidChange.fire(this.#state);
      this.#compareLists();
    }
  }

  /**
   * Fires `onDidChangeModels` if the list of models changed. Reads the status again later if an upstream has a problem,
   * because upstreams do not report the end of a problem.
   */
  #compareLists(): void {
    clearTimeout(this.#retryTimer);
    const { status } = this.#state;
    if (status === undefined) return;
    const { upstreams, listing } = status;
    if (listing !== this.#listing) {
      this.#listing = listing;
      this.#onDidChangeModels.fire();
    }
    if (upstreams.some(({ problem }) => problem !== undefined)) {
      this.#retryTimer = setTimeout(() => void this.refresh(), retryMs);
      this.#retryTimer.unref();
    }
  }

  /** Sends the stored keys, so that the first list of models includes the models of all upstreams. */
  async #prepare({ control, greeting }: ConnectedGateway): Promise<void> {
    this.#follow(control);
    const upstreams = greeting.upstreams.map((upstream) => ({ ...upstream, key: 'none' as const }));
    try {
      await untilAborted(this.#sendKeys(control, upstreams), AbortSignal.timeout(prepareMs));
    } catch (error) {
      this.#log.info('gateway', `could not send keys to the local gateway: ${errorMessage(error)}`);
    }
  }

  #follow(control: GatewayControl | undefined): void {
    if (control === this.#control) return;
    this.#controlSubscription?.dispose();
    this.#control = control;
    this.#sentKeys.clear();
    this.#listing = undefined;
    this.#controlSubscription = control?.onDidChange(() => void this.refresh());
  }

  async #readState(): Promise<UpstreamsState> {
    const isConfigured = await this.#checkConfigured();
    const control = this.#control;
    if (!control) return { isConfigured, lostKeys: [] };
    try {
      const before = await control.readStatus();
      const hasSentKeys = await this.#sendKeys(control, before.upstreams);
      const status = hasSentKeys ? await control.readStatus() : before;
      return { status, isConfigured, lostKeys: this.#findLostKeys(status.upstreams) };
    } catch (error) {
      this.#log.info('gateway', `could not read the upstreams of the local gateway: ${errorMessage(error)}`);
      return { isConfigured, lostKeys: [] };
    }
  }

  /**
   * Sends each key to the upstream that it was entered for, by name and origin.
   *
   * @returns whether a key was sent
   */
  async #sendKeys(
    control: GatewayControl,
    upstreams: readonly Pick<UpstreamStatus, 'name' | 'origin' | 'key'>[],
  ): Promise<boolean> {
    const keys: Record<string, string> = {};
    const sentKeys = new Map<string, string>();
    for (const { name, origin, key: keySource } of upstreams) {
      if (origin === undefined) continue;
      const key = (await this.#keys.read({ name, baseUrl: origin })) ?? '';
      const sent = `${origin} ${key}`;
      const isUpToDate =
        key === '' ? keySource !== 'window' : keySource === 'window' && this.#sentKeys.get(name) === sent;
      if (isUpToDate) continue;
      keys[name] = key;
      sentKeys.set(name, sent);
    }
    if (sentKeys.size === 0) return false;
    await control.sendKeys(keys);
    for (const [name, sent] of sentKeys) this.#sentKeys.set(name, sent);
    return true;
  }

  #findLostKeys(upstreams: readonly UpstreamStatus[]): readonly string[] {
    return upstreams
      .filter(
        ({ name, origin, key }) =>
          origin !== undefined && key !== 'window' && this.#keys.wasStored({ name, baseUrl: origin }),
      )
      .map(({ name }) => name);
  }

  /** Whether the configuration may contain upstreams. The text is only searched for a field name. */
  async #checkConfigured(): Promise<boolean> {
    const text = await readFile(this.#localGateway.configFile, 'utf8').catch(() => '');
    return /"baseUrl"/.test(text);
  }
}
