import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { errorMessage } from '../../base/errors.ts';
import { untilAborted } from '../../base/untilAborted.ts';
import type { GatewayStatus, UpstreamStatus } from '../../protocol/gatewayControl.ts';
import type { Log } from '../kit/display/log.ts';
import type { Credentials } from './credentials.ts';
import type { GatewayControl } from './gatewayControl.ts';
import type { LocalGateway } from './localGateway.ts';
import type { ReachedGateway } from './sharedGateway.ts';

/** How long a gateway waits for its keys before it is used, in milliseconds: the keyring may be asking the user. */
const prepareMs = 3_000;
/** How long an upstream that does not list its models is left alone, in milliseconds. */
const lookAgainMs = 30_000;

/** What is known of the local gateway's upstreams. */
export interface UpstreamsState {
  /** Absent while it does not run, or has not told yet. */
  readonly status?: GatewayStatus;
  /** Whether a configuration was written that may name upstreams. */
  readonly isConfigured: boolean;
  /** The names of upstreams whose key VS Code kept and has no more. */
  readonly keysLost: readonly string[];
}

/** Follows the upstreams of the local gateway, and hands over their keys. */
export class LocalUpstreams {
  readonly #localGateway: LocalGateway;
  readonly #keys: Credentials;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<UpstreamsState>();
  readonly #onDidChangeModels = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly Disposable[];
  readonly #given = new Map<string, string>();
  #control: GatewayControl | undefined;
  #following: Disposable | undefined;
  #state: UpstreamsState = { isConfigured: false, keysLost: [] };
  #reading: Promise<void> | undefined;
  #isStale = false;
  /** The list of models that the gateway had last. */
  #listing: string | undefined;
  #nextLook: NodeJS.Timeout | undefined;

  /** Fires when something else is known. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when the gateway that runs may list other models than before. */
  readonly onDidChangeModels = this.#onDidChangeModels.event;

  /** @param keys the keys of upstreams, each under the upstream's name and origin */
  constructor(localGateway: LocalGateway, keys: Credentials, log: Log) {
    this.#localGateway = localGateway;
    this.#keys = keys;
    this.#log = log;
    localGateway.prepare = (reached) => this.#prepare(reached);
    this.#subscriptions = [
      localGateway.onDidChange(() => void this.refresh()),
      keys.onDidChange(() => void this.refresh()),
    ];
  }

  get state(): UpstreamsState {
    return this.#state;
  }

  /** Reads anew what the gateway tells. Calls at the same time share one reading, and one more after it. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readWhileStale().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  dispose(): void {
    clearTimeout(this.#nextLook);
    this.#following?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeModels.dispose();
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.#follow(this.#localGateway.control);
      this.#state = await this.#read();
      this.#onDidChange.fire(this.#state);
      this.#compareLists();
    }
  }

  /** An upstream that comes back reports nothing: one that cannot be reached is looked at again. */
  #compareLists(): void {
    clearTimeout(this.#nextLook);
    const { status } = this.#state;
    if (status === undefined) return;
    const { upstreams, listing } = status;
    if (listing !== this.#listing) {
      this.#listing = listing;
      this.#onDidChangeModels.fire();
    }
    if (upstreams.some(({ problem }) => problem !== undefined)) {
      this.#nextLook = setTimeout(() => void this.refresh(), lookAgainMs);
      this.#nextLook.unref();
    }
  }

  /** Hands over the stored keys, so that the first list of models has those of all upstreams. */
  async #prepare({ control, greeting }: ReachedGateway): Promise<void> {
    this.#follow(control);
    const upstreams = greeting.upstreams.map((upstream) => ({ ...upstream, key: 'none' as const }));
    try {
      await untilAborted(this.#handOver(control, upstreams), AbortSignal.timeout(prepareMs));
    } catch (error) {
      this.#log.info('gateway', `its upstreams have no keys yet: ${errorMessage(error)}`);
    }
  }

  #follow(control: GatewayControl | undefined): void {
    if (control === this.#control) return;
    this.#following?.dispose();
    this.#control = control;
    this.#given.clear();
    this.#listing = undefined;
    this.#following = control?.onDidChange(() => void this.refresh());
  }

  async #read(): Promise<UpstreamsState> {
    const isConfigured = await this.#isConfigured();
    const control = this.#control;
    if (!control) return { isConfigured, keysLost: [] };
    try {
      const told = await control.state();
      const isAnyNew = await this.#handOver(control, told.upstreams);
      const status = isAnyNew ? await control.state() : told;
      return { status, isConfigured, keysLost: await this.#lost(status.upstreams) };
    } catch (error) {
      this.#log.info('gateway', `its upstreams are not known: ${errorMessage(error)}`);
      return { isConfigured, keysLost: [] };
    }
  }

  /** Gives each key to the upstream that it was entered for: by the name, and at the origin. */
  async #handOver(
    control: GatewayControl,
    upstreams: readonly Pick<UpstreamStatus, 'name' | 'origin' | 'key'>[],
  ): Promise<boolean> {
    const keys: Record<string, string> = {};
    for (const { name, origin, key: place } of upstreams) {
      if (origin === undefined) continue;
      const key = (await this.#keys.read({ name, baseUrl: origin })) ?? '';
      const known = `${origin} ${key}`;
      const isThere = key === '' ? place !== 'window' : place === 'window' && this.#given.get(name) === known;
      if (isThere) continue;
      keys[name] = key;
      this.#given.set(name, known);
    }
    if (Object.keys(keys).length === 0) return false;
    await control.giveKeys(keys);
    return true;
  }

  async #lost(upstreams: readonly UpstreamStatus[]): Promise<readonly string[]> {
    const known = upstreams.filter(({ origin, key }) => origin !== undefined && key !== 'window');
    return known
      .filter(({ name, origin = '' }) => this.#keys.wasKept({ name, baseUrl: origin }))
      .map(({ name }) => name);
  }

  /** Looks for a name only, without reading the file as the gateway does. */
  async #isConfigured(): Promise<boolean> {
    const text = await readFile(this.#localGateway.configFile, 'utf8').catch(() => '');
    return /"baseUrl"/.test(text);
  }
}
