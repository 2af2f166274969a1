import * as vscode from 'vscode';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { ClientOptions, ExchangeRecord, PaidRequest, SpendingReservation } from '../../client/types.ts';
import { litellmRoutes } from '../../wire/routes.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import { readProxy, readSystemCertificates, readTimeouts, readTransport } from './connectionSettings.ts';
import { type CredentialCommands, hasCommand } from './credentialCommands.ts';
import type { Credentials } from './credentials.ts';
import { GatewayConnection, type GatewayState } from './gatewayConnection.ts';
import type { GatewayHeaders } from './gatewayHeaders.ts';
import { buildGatewayKey, type Gateway, type Gateways, localEntry } from './gateways.ts';
import type { LocalGateway, StartInitiator } from './localGateway.ts';
import type { PlainHttpConsent } from './plainHttp.ts';

/** The address of a gateway and its authentication. */
type GatewayEndpoint = Pick<
  ClientOptions,
  | 'baseUrl'
  | 'credential'
  | 'renewCredential'
  | 'extraHeaders'
  | 'headers'
  | 'openRoutes'
  | 'resultOrigins'
  | 'isLocalGateway'
>;

/** Counts a request to a gateway before it is sent, or throws a `GatewayError`. */
type CountRequest = (gateway: Gateway, request: PaidRequest) => Promise<SpendingReservation>;

/** The secrets of gateways: their credentials, the commands that print them, and further headers. */
interface GatewaySecrets {
  readonly credentials: Credentials;
  readonly credentialCommands: CredentialCommands;
  readonly gatewayHeaders: GatewayHeaders;
}

/** An exchange, with the name of its gateway, or with its address if the gateway is not in the settings yet. */
interface GatewayExchange {
  readonly gateway: string;
  readonly exchange: ExchangeRecord;
}

/** Routes whose replies do not prove that the gateway works. Few gateways support the second route. */
const inconclusiveRoutes: ReadonlySet<string> = new Set(['download', litellmRoutes.readModelInfo.name]);

/** The state of the window's gateway. `gateway` is undefined until the user chooses a gateway. */
export type ConnectionState = Omit<GatewayState, 'gateway'> & { readonly gateway: Gateway | undefined };

/** The state until the user chooses a gateway. */
export const notConnected: ConnectionState = {
  gateway: undefined,
  phase: 'idle',
  models: [],
  omittedModelCount: 0,
  modelsReadAt: undefined,
  error: undefined,
  outage: undefined,
};

/** The connections to the gateways that this window uses: the current gateway and the gateways of open chats. */
export class Connection {
  readonly #context: vscode.ExtensionContext;
  readonly #gateways: Gateways;
  readonly #secrets: GatewaySecrets;
  readonly #localGateway: LocalGateway;
  readonly #plainHttp: PlainHttpConsent;
  readonly #log: Log;
  readonly #connections = new Map<string, GatewayConnection>();
  readonly #onDidChange = new vscode.EventEmitter<ConnectionState>();
  readonly #onDidChangeGateways = new vscode.EventEmitter<void>();
  readonly #onDidAcceptRequest = new vscode.EventEmitter<Gateway>();
  readonly #onDidExchange = new vscode.EventEmitter<GatewayExchange>();
  readonly #subscriptions: vscode.Disposable[];
  #countRequest: CountRequest | undefined;

  /** Fires with the state of the current gateway. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when the state of any gateway changed, or when another gateway became current. */
  readonly onDidChangeGateways = this.#onDidChangeGateways.event;
  /** Fires when a gateway accepted a request, which proves that its credential is valid. */
  readonly onDidAcceptRequest = this.#onDidAcceptRequest.event;
  /** Fires after each exchange with any gateway. */
  readonly onDidExchange = this.#onDidExchange.event;

  constructor(
    context: vscode.ExtensionContext,
    gateways: Gateways,
    secrets: GatewaySecrets,
    localGateway: LocalGateway,
    plainHttp: PlainHttpConsent,
    log: Log,
  ) {
    this.#context = context;
    this.#gateways = gateways;
    this.#secrets = secrets;
    this.#localGateway = localGateway;
    this.#plainHttp = plainHttp;
    this.#log = log;
    this.#subscriptions = [
      gateways.onDidChange(() => this.#reset()),
      localGateway.onDidStop(() => this.#reconnect(localEntry)),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) for (const connection of this.#connections.values()) connection.wake();
      }),
    ];
  }

  /** The connection to the window's gateway. */
  get current(): GatewayConnection | undefined {
    const { current } = this.#gateways;
    return current && this.get(current);
  }

  get state(): ConnectionState {
    return this.current?.state ?? notConnected;
  }

  /** Sets the function that counts the requests of later clients that may cost money. */
  countSpending(count: CountRequest): void {
    this.#countRequest = count;
  }

  /** Returns the connection to any of the user's gateways. It is valid until the settings change. */
  get(gateway: Gateway): GatewayConnection {
    const key = buildGatewayKey(gateway);
    const existing = this.#connections.get(key);
    if (existing) return existing;
    const connection = new GatewayConnection({
      gateway,
      memory: this.#context.globalState,
      open: (each) => this.open(each),
      onChange: () => this.#fireChange(connection),
      isWatched: () => vscode.window.state.focused,
      isStopped: gateway.kind === 'local' && this.#localGateway.isStopped,
      log: this.#log,
    });
    this.#connections.set(key, connection);
    return connection;
  }

  /** Finds the connection to a gateway of an earlier session; undefined if it was removed or its address changed. */
  find(earlierGateway: Gateway): GatewayConnection | undefined {
    const gateway = this.#gateways.resolve(earlierGateway);
    return gateway && this.get(gateway);
  }

  /** Returns the client of the current gateway. Starts the local gateway if it is current. */
  async getClient(): Promise<GatewayClient> {
    return this.current?.getClient() ?? this.open(undefined);
  }

  /**
   * Opens a client of any gateway, which the caller closes. Starts the local gateway if needed.
   *
   * @param initiator the initiator. A local gateway that the user stopped starts again only for the user.
   */
  async open(gateway: Gateway | undefined, initiator: StartInitiator = 'user'): Promise<GatewayClient> {
    if (gateway === undefined) throw new Error(vscode.l10n.t('No gateway is connected yet.'));
    return await createClient(await this.createOptions(gateway, initiator));
  }

  /**
   * Creates the client options for a gateway: its address, and this window's settings. Starts the local gateway if
   * needed.
   */
  async createOptions(gateway: Gateway, initiator: StartInitiator = 'user'): Promise<ClientOptions> {
    const endpoint = await this.#resolveEndpoint(gateway, initiator);
    const options = this.#createOptions({ ...endpoint, name: gateway.name }, (exchange) => {
      if (inconclusiveRoutes.has(exchange.route)) return;
      if (exchange.error === undefined) this.#onDidAcceptRequest.fire(gateway);
      this.#connections.get(buildGatewayKey(gateway))?.recordExchange(exchange);
    });
    const count = this.#countRequest;
    return { ...options, ...(count && { spending: { reserve: (request) => count(gateway, request) } }) };
  }

  /** Opens a client of an endpoint that is not in the settings yet. The caller closes it. */
  openEndpoint(endpoint: GatewayEndpoint): Promise<GatewayClient> {
    return createClient(this.#createOptions(endpoint));
  }

  /** Creates functions that read the credential and the further headers of a gateway for each request. */
  createAuthentication(
    gateway: ConfiguredGateway,
  ): Pick<GatewayEndpoint, 'credential' | 'renewCredential' | 'extraHeaders'> {
    const { credentials, credentialCommands, gatewayHeaders } = this.#secrets;
    const extraHeaders = () => gatewayHeaders.read(gateway);
    if (!hasCommand(gateway)) return { credential: () => credentials.readForRequest(gateway), extraHeaders };
    return {
      credential: () => credentialCommands.read(gateway),
      renewCredential: (refused) => credentialCommands.renew(gateway, refused),
      extraHeaders,
    };
  }

  #createOptions(
    { name, ...endpoint }: GatewayEndpoint & { readonly name?: string },
    onExchange?: (exchange: ExchangeRecord) => void,
  ): ClientOptions {
    warnOfUncheckedCertificates();
    return {
      ...endpoint,
      timeouts: readTimeouts(),
      transport: readTransport(),
      ...(this.#plainHttp.isGiven(endpoint.baseUrl) && { plainHttp: 'private-network' }),
      proxy: readProxy,
      systemCertificates: readSystemCertificates(),
      recordsTranscripts: true,
      onExchange: (exchange) => {
        this.#logExchange(exchange);
        this.#onDidExchange.fire({ gateway: name ?? endpoint.baseUrl, exchange });
        onExchange?.(exchange);
      },
    };
  }

  /** Reads the current gateway's model list again. Never rejects: a failure is in the returned state. */
  async refresh(signal?: AbortSignal): Promise<ConnectionState> {
    return this.current?.refresh(signal) ?? notConnected;
  }

  dispose(): void {
    for (const connection of this.#connections.values()) connection.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeGateways.dispose();
    this.#onDidAcceptRequest.dispose();
    this.#onDidExchange.dispose();
  }

  async #resolveEndpoint(gateway: Gateway, initiator: StartInitiator): Promise<GatewayEndpoint> {
    if (gateway.kind === 'gateway') {
      const { baseUrl, headers, openRoutes, resultOrigins } = gateway;
      return {
        baseUrl,
        headers,
        openRoutes,
        ...(resultOrigins && { resultOrigins }),
        ...this.createAuthentication(gateway),
      };
    }
    const { baseUrl, credential } = await this.#localGateway.start(initiator);
    return { baseUrl, credential: async () => credential, isLocalGateway: true };
  }

  #reset(): void {
    for (const connection of this.#connections.values()) connection.dispose();
    this.#connections.clear();
    this.#onDidChange.fire(this.state);
    this.#onDidChangeGateways.fire();
  }

  /** Replaces the existing connection to a gateway by a new connection. */
  #reconnect(gateway: Gateway): void {
    const key = buildGatewayKey(gateway);
    const connection = this.#connections.get(key);
    if (connection === undefined) return;
    connection.dispose();
    this.#connections.delete(key);
    this.#fireChange(this.get(gateway));
  }

  #fireChange(connection: GatewayConnection): void {
    if (this.#connections.get(buildGatewayKey(connection.gateway)) !== connection) return;
    if (connection === this.current) this.#onDidChange.fire(connection.state);
    this.#onDidChangeGateways.fire();
  }

  #logExchange(exchange: ExchangeRecord): void {
    const outcome = exchange.failure ?? String(exchange.status);
    this.#log.info(
      'http',
      `${exchange.method} ${exchange.url} -> ${outcome}, ${Math.round(exchange.totalMs)} ms, ` +
        `${exchange.bytesReceived} B, ${exchange.transport ?? 'nothing sent'}, request id ${exchange.requestId}`,
    );
  }
}

/** Creates a client. Loads the code of clients at the first call. */
async function createClient(options: ClientOptions): Promise<GatewayClient> {
  const { createGatewayClient } = await import('../../client/gatewayClient.ts');
  return createGatewayClient(options);
}

let hasWarned = false;

/**
 * Warns once in each window that this extension host does not check certificates (T30). The environment or another
 * extension has set the variable. Our own requests still check certificates.
 */
function warnOfUncheckedCertificates(): void {
  if (hasWarned || process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  hasWarned = true;
  void notify(
    'warning',
    vscode.l10n.t(
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: extensions in this window accept any certificate. Model Gateway still checks certificates. Remove the variable, and add your certificate authority to the system’s certificates instead.',
    ),
  );
}
