import * as vscode from 'vscode';
import type { ClientOptions, Exchange, GatewayClient } from '../client/gatewayClient.ts';
import { GatewayError } from '../wire/failure.ts';
import type { Model } from '../wire/shapes/models.ts';
import type { Credentials } from './credentials.ts';
import type { LocalGateway } from './localGateway.ts';
import type { Log } from './log.ts';
import { demoProfile, type Profile, type Profiles } from './profiles.ts';
import { hasProxy, readBudgets, readTransport } from './settings.ts';

/** Where a request of a profile goes, and what opens the door there. */
export type Endpoint = Pick<ClientOptions, 'baseUrl' | 'credential' | 'headers' | 'openRoutes'>;

/** What is known of the current profile's gateway. Old models stay beside a failure. */
export interface ConnectionState {
  readonly profile: Profile | undefined;
  /** `unasked`: nothing was sent in this session yet, since the user has not asked for anything. */
  readonly phase: 'unasked' | 'loading' | 'ready' | 'failed';
  readonly models: readonly Model[];
  /** When `models` came from the gateway, in milliseconds since 1970. */
  readonly modelsReadAt: number | undefined;
  readonly error: GatewayError | undefined;
}

interface KnownModels {
  readonly readAt: number;
  readonly models: readonly Model[];
}

/** The current profile's gateway: its client, its models and how it is doing. */
export class Connection {
  readonly #context: vscode.ExtensionContext;
  readonly #profiles: Profiles;
  readonly #credentials: Credentials;
  readonly #localGateway: LocalGateway;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<ConnectionState>();
  readonly #subscriptions: vscode.Disposable[];
  #state: ConnectionState;
  #client: Promise<GatewayClient> | undefined;
  #refresh: AbortController | undefined;

  readonly onDidChange = this.#onDidChange.event;

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
    this.#state = this.#unasked();
    this.#subscriptions = [
      profiles.onDidChange(() => this.#startOver()),
      localGateway.onDidStop(() => {
        if (this.#state.profile?.kind === 'demo') this.#startOver();
      }),
    ];
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The client of the current profile. Starts the local gateway when that is the profile. */
  client(): Promise<GatewayClient> {
    this.#client ??= this.open(this.#profiles.current).catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** A client of any profile, for the caller to close. Starts the local gateway when that is the profile. */
  async open(profile: Profile | undefined): Promise<GatewayClient> {
    if (profile === undefined) throw new Error(vscode.l10n.t('No gateway is connected yet.'));
    return await this.clientFor(await this.#endpoint(profile));
  }

  /** A client for an endpoint that is no profile yet, with this window's settings. Close it after use. */
  async clientFor(endpoint: Endpoint): Promise<GatewayClient> {
    const { createGatewayClient } = await import('../client/gatewayClient.ts');
    return createGatewayClient({
      ...endpoint,
      budgets: readBudgets(),
      transport: readTransport(),
      proxied: hasProxy,
      onExchange: (exchange) => this.#logExchange(exchange),
    });
  }

  /** Reads the model list anew; never throws: the state says how it went. A later call replaces an earlier. */
  async refresh(signal?: AbortSignal): Promise<ConnectionState> {
    const { profile } = this.#state;
    if (profile === undefined) return this.#state;
    this.#refresh?.abort();
    const own = new AbortController();
    this.#refresh = own;
    const signals = signal ? [own.signal, signal] : [own.signal];
    this.#become({ ...this.#state, phase: 'loading' });
    try {
      const client = await this.client();
      const models = await client.listModels({ signal: AbortSignal.any(signals) });
      if (own.signal.aborted) return this.#state;
      await this.#remember(profile, models);
      this.#become({ profile, phase: 'ready', models, modelsReadAt: Date.now(), error: undefined });
    } catch (error) {
      if (own.signal.aborted) return this.#state;
      const failure = asGatewayError(error, profile);
      this.#log.warn('connection', `${profile.name}: ${failure.kind}: ${failure.message}`);
      this.#become({
        ...this.#state,
        phase: failure.kind === 'cancelled' ? 'unasked' : 'failed',
        error: failure,
      });
    }
    return this.#state;
  }

  dispose(): void {
    this.#refresh?.abort();
    this.#closeClient();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #endpoint(profile: Profile): Promise<Endpoint> {
    if (profile.kind === 'gateway') {
      const { baseUrl, headers, openRoutes } = profile;
      return { baseUrl, headers, openRoutes, credential: () => this.#credentials.present(profile) };
    }
    const { baseUrl, credential } = await this.#localGateway.start();
    return { baseUrl, credential: async () => credential };
  }

  #startOver(): void {
    this.#refresh?.abort();
    this.#closeClient();
    this.#become(this.#unasked());
  }

  #closeClient(): void {
    this.#client?.then((client) => client.close()).catch(() => {});
    this.#client = undefined;
  }

  #unasked(): ConnectionState {
    const profile = this.#profiles.current;
    const known = profile && this.#context.globalState.get<KnownModels>(modelsKey(profile));
    return {
      profile,
      phase: 'unasked',
      models: known?.models ?? [],
      modelsReadAt: known?.readAt,
      error: undefined,
    };
  }

  /** Keeps the list for the next start, when models are shown before anything is asked. */
  async #remember(profile: Profile, models: readonly Model[]): Promise<void> {
    const known: KnownModels = { readAt: Date.now(), models };
    await this.#context.globalState.update(modelsKey(profile), known);
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    this.#onDidChange.fire(state);
  }

  #logExchange(exchange: Exchange): void {
    const answer = exchange.failure ?? String(exchange.status);
    this.#log.info(
      'http',
      `${exchange.method} ${exchange.url} -> ${answer}, ${Math.round(exchange.totalMs)} ms, ` +
        `${exchange.bytesReceived} bytes, ${exchange.transport}, request id ${exchange.requestId}`,
    );
  }
}

function modelsKey(profile: Profile): string {
  return profile.kind === 'demo' ? 'models/demo' : `models/${profile.name}@${profile.baseUrl}`;
}

/** What could not even be asked, as a failure like any other. */
export function asGatewayError(error: unknown, profile: Profile | undefined): GatewayError {
  if (GatewayError.is(error)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const message =
    profile?.kind === 'demo' ? vscode.l10n.t('{0} did not start. {1}', demoProfile.name, cause) : cause;
  return new GatewayError({
    kind: 'unreachable',
    message,
    requestedAt: new Date(),
    requestId: '',
    cause: error,
  });
}
