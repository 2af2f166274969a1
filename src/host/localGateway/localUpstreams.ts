import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { errorMessage } from '../../base/errors.ts';
import type { GatewayStatus, UpstreamStatus } from '../../protocol/gatewayControl.ts';
import type { Credentials } from '../connection/credentials.ts';
import type { GatewayControl } from '../connection/gatewayControl.ts';
import type { LocalGateway } from '../connection/localGateway.ts';
import type { Log } from '../log.ts';

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
  readonly #subscriptions: readonly Disposable[];
  readonly #given = new Map<string, string>();
  #control: GatewayControl | undefined;
  #following: Disposable | undefined;
  #state: UpstreamsState = { isConfigured: false, keysLost: [] };
  #reading: Promise<void> | undefined;
  #isStale = false;

  /** Fires when something else is known. */
  readonly onDidChange = this.#onDidChange.event;

  /** @param keys the keys of upstreams, each under the upstream's name and origin */
  constructor(localGateway: LocalGateway, keys: Credentials, log: Log) {
    this.#localGateway = localGateway;
    this.#keys = keys;
    this.#log = log;
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
    this.#following?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.#follow(this.#localGateway.control);
      this.#state = await this.#read();
      this.#onDidChange.fire(this.#state);
    }
  }

  #follow(control: GatewayControl | undefined): void {
    if (control === this.#control) return;
    this.#following?.dispose();
    this.#control = control;
    this.#given.clear();
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
  async #handOver(control: GatewayControl, upstreams: readonly UpstreamStatus[]): Promise<boolean> {
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
