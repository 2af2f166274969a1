import * as vscode from 'vscode';
import type { ClientOptions, Exchange, GatewayClient } from '../../client/gatewayClient.ts';
import type { Log } from '../log.ts';
import { readBudgets, readProxy, readSystemCertificates, readTransport } from '../settings.ts';
import type { Credentials } from './credentials.ts';
import { GatewayConnection, type GatewayState } from './gatewayConnection.ts';
import type { LocalGateway } from './localGateway.ts';
import { demoProfile, gatewayKey, type Profile, type Profiles } from './profiles.ts';
import { tellOfUncheckedCertificates } from './uncheckedCertificates.ts';

/** Where a request of a profile goes, and what opens the door there. */
export type Endpoint = Pick<
  ClientOptions,
  'baseUrl' | 'credential' | 'headers' | 'openRoutes' | 'resultOrigins'
>;

/** What is known of the gateway that the window uses; of none before the user chose one. */
export type ConnectionState = Omit<GatewayState, 'profile'> & { readonly profile: Profile | undefined };

/** Before the user chose a gateway. */
export const notConnected: ConnectionState = {
  profile: undefined,
  phase: 'unasked',
  models: [],
  modelsBeyond: 0,
  modelsReadAt: undefined,
  error: undefined,
};

/** The gateways that this window asks: the current one, and those that open chats belong to. */
export class Connection {
  readonly #context: vscode.ExtensionContext;
  readonly #profiles: Profiles;
  readonly #credentials: Credentials;
  readonly #localGateway: LocalGateway;
  readonly #log: Log;
  readonly #gateways = new Map<string, GatewayConnection>();
  readonly #onDidChange = new vscode.EventEmitter<ConnectionState>();
  readonly #onDidChangeGateways = new vscode.EventEmitter<void>();
  readonly #onDidAnswer = new vscode.EventEmitter<Profile>();
  readonly #subscriptions: vscode.Disposable[];

  /** Fires with the state of the current gateway. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when any gateway's state changed, or which one is the current. */
  readonly onDidChangeGateways = this.#onDidChangeGateways.event;
  /** Fires when a gateway answered a request as it should, with the credential it has. */
  readonly onDidAnswer = this.#onDidAnswer.event;

  constructor(
    context: vscode.ExtensionContext,
    profiles: Profiles,
    credentials: Credentials,
    localGateway: LocalGateway,
    log: Log,
  ) {
    this.#context = context;
    this.#profiles = profiles;
    this.#credentials = credentials;
    this.#localGateway = localGateway;
    this.#log = log;
    this.#subscriptions = [
      profiles.onDidChange(() => this.#startOver()),
      localGateway.onDidStop(() => this.#forget(demoProfile)),
    ];
  }

  /** The gateway that the window uses. */
  get current(): GatewayConnection | undefined {
    const { current } = this.#profiles;
    return current && this.of(current);
  }

  get state(): ConnectionState {
    return this.current?.state ?? notConnected;
  }

  /** The connection to any of the user's gateways. It lasts until the settings change. */
  of(profile: Profile): GatewayConnection {
    const key = gatewayKey(profile);
    const known = this.#gateways.get(key);
    if (known) return known;
    const gateway = new GatewayConnection({
      profile,
      memory: this.#context.globalState,
      open: (each) => this.open(each),
      onChange: () => this.#changed(gateway),
      log: this.#log,
    });
    this.#gateways.set(key, gateway);
    return gateway;
  }

  /** The connection to a gateway of before; undefined once it was removed or has another address. */
  find(earlier: Profile): GatewayConnection | undefined {
    const profile = this.#profiles.now(earlier);
    return profile && this.of(profile);
  }

  /** The client of the current gateway. Starts the local gateway when that is the current one. */
  async client(): Promise<GatewayClient> {
    return this.current?.client() ?? this.open(undefined);
  }

  /** A client of any profile, for the caller to close. Starts the local gateway when that is the profile. */
  async open(profile: Profile | undefined): Promise<GatewayClient> {
    if (profile === undefined) throw new Error(vscode.l10n.t('No gateway is connected yet.'));
    return await this.clientFor(await this.#endpoint(profile), (exchange) => {
      if (exchange.failure === undefined && exchange.route !== 'download') this.#onDidAnswer.fire(profile);
    });
  }

  /** A client for an endpoint that is no profile yet, with this window's settings. Close it after use. */
  async clientFor(endpoint: Endpoint, onExchange?: (exchange: Exchange) => void): Promise<GatewayClient> {
    const { createGatewayClient } = await import('../../client/gatewayClient.ts');
    tellOfUncheckedCertificates();
    return createGatewayClient({
      ...endpoint,
      budgets: readBudgets(),
      transport: readTransport(),
      proxy: readProxy,
      systemCertificates: readSystemCertificates(),
      onExchange: (exchange) => {
        this.#logExchange(exchange);
        onExchange?.(exchange);
      },
    });
  }

  /** Reads the current gateway's model list anew; never throws: the state says how it went. */
  async refresh(signal?: AbortSignal): Promise<ConnectionState> {
    return this.current?.refresh(signal) ?? notConnected;
  }

  dispose(): void {
    for (const gateway of this.#gateways.values()) gateway.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeGateways.dispose();
    this.#onDidAnswer.dispose();
  }

  async #endpoint(profile: Profile): Promise<Endpoint> {
    if (profile.kind === 'gateway') {
      const { baseUrl, headers, openRoutes, resultOrigins } = profile;
      const credential = () => this.#credentials.present(profile);
      return { baseUrl, headers, openRoutes, ...(resultOrigins && { resultOrigins }), credential };
    }
    const { baseUrl, credential } = await this.#localGateway.start();
    return { baseUrl, credential: async () => credential };
  }

  #startOver(): void {
    for (const gateway of this.#gateways.values()) gateway.dispose();
    this.#gateways.clear();
    this.#onDidChange.fire(this.state);
    this.#onDidChangeGateways.fire();
  }

  #forget(profile: Profile): void {
    const key = gatewayKey(profile);
    const gateway = this.#gateways.get(key);
    if (gateway === undefined) return;
    gateway.dispose();
    this.#gateways.delete(key);
    this.#changed(this.of(profile));
  }

  #changed(gateway: GatewayConnection): void {
    if (this.#gateways.get(gatewayKey(gateway.profile)) !== gateway) return;
    if (gateway === this.current) this.#onDidChange.fire(gateway.state);
    this.#onDidChangeGateways.fire();
  }

  #logExchange(exchange: Exchange): void {
    const answer = exchange.failure ?? String(exchange.status);
    this.#log.info(
      'http',
      `${exchange.method} ${exchange.url} -> ${answer}, ${Math.round(exchange.totalMs)} ms, ` +
        `${exchange.bytesReceived} B, ${exchange.transport}, request id ${exchange.requestId}`,
    );
  }
}
