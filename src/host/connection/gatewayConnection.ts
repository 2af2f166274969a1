import type * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { systemClock } from '../../base/node/clock.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { ExchangeRecord } from '../../client/types.ts';
import { collectTokenPrices, hasPrices, replaceTokenPrices } from '../../wire/apis/models/modelInfo.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { routes } from '../../wire/routes.ts';
import type { Log } from '../kit/display/log.ts';
import { buildGatewayKey, type Gateway } from './gateways.ts';
import { canCheck, findReachability, type Outage, OutageChecks } from './outage.ts';
import { PriceList } from './priceList.ts';
import { selectStoredModels } from './storedModels.ts';
import { toGatewayError } from './unsentError.ts';

/** The state of a gateway. After a failure the models of the last successful read remain. */
export interface GatewayState {
  readonly gateway: Gateway;
  /**
   * `idle` until the user does something that sends a request in this session. `stopped` for a local gateway
   * that the user stopped.
   */
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed' | 'stopped';
  readonly models: readonly Model[];
  /** The number of models that are missing in `models` because the gateway lists too many. */
  readonly omittedModelCount: number;
  /** When `models` came from the gateway, in milliseconds since 1970. */
  readonly modelsReadAt: number | undefined;
  readonly error: GatewayError | undefined;
  /** Present while the gateway cannot be reached, whether or not reading the models failed. */
  readonly outage: Outage | undefined;
}

interface StoredModels {
  readonly readAt: number;
  readonly models: readonly Model[];
  /** The number of models of the gateway that were not stored. */
  readonly beyond?: number;
}

interface GatewayConnectionOptions {
  readonly gateway: Gateway;
  /** Stores the model list, to show it at the next start before any request. */
  readonly memory: vscode.Memento;
  readonly open: (gateway: Gateway) => Promise<GatewayClient>;
  readonly onChange: () => void;
  /** Whether the user looks at the window. */
  readonly isWatched: () => boolean;
  /** Whether the user stopped this gateway. */
  readonly isStopped: boolean;
  readonly log: Log;
}

/** One gateway in this window: its client, its models and its state. */
export class GatewayConnection {
  readonly #options: GatewayConnectionOptions;
  #state: GatewayState;
  #client: Promise<GatewayClient> | undefined;
  #refresh: AbortController | undefined;
  /** Whether the list may have changed during the current read. */
  #isStale = false;
  readonly #checks: OutageChecks;
  readonly #priceList = new PriceList();

  constructor(options: GatewayConnectionOptions) {
    this.#options = options;
    this.#state = createInitialState(options);
    this.#checks = new OutageChecks({
      clock: systemClock,
      isWatched: options.isWatched,
      check: () => this.#check(),
    });
  }

  get gateway(): Gateway {
    return this.#options.gateway;
  }

  get state(): GatewayState {
    return this.#state;
  }

  /** Returns the gateway's client. Starts the local gateway if needed. */
  getClient(): Promise<GatewayClient> {
    this.#client ??= this.#options.open(this.gateway).catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** Reads the model list again and aborts an earlier read. Never rejects: a failure is in the returned state. */
  async refresh(signal?: AbortSignal): Promise<GatewayState> {
    this.#setState({ ...this.#state, phase: 'loading' });
    return this.#readModels(signal);
  }

  /** Reads the model list without showing that it loads. A read in progress is repeated. */
  refreshInBackground(): void {
    if (this.#state.phase === 'loading') this.#isStale = true;
    else void this.#readModels();
  }

  /** Updates the reachability of the gateway after any request. */
  recordExchange(exchange: ExchangeRecord): void {
    const finding = findReachability(exchange);
    const isRead = exchange.route === routes.listModels.name;
    if (finding.kind === 'unreachable') this.#startOutage(finding.error);
    else if (finding.kind === 'doubtful' && !isRead) this.#checks.checkSoon();
    else if (finding.kind === 'reached' && this.#endOutage() && !isRead) void this.#readModels();
  }

  /** Resumes the checks when the user looks at the window again. */
  wake(): void {
    this.#checks.wake();
  }

  dispose(): void {
    this.#refresh?.abort();
    this.#checks.stop();
    this.#client?.then((client) => client.close()).catch(() => {});
  }

  /**
   * Ends an outage.
   *
   * @returns whether the model list has to be read again
   */
  #endOutage(): boolean {
    const { outage, phase, error } = this.#state;
    this.#checks.stop();
    if (outage) this.#setState({ ...this.#state, outage: undefined });
    return (
      phase === 'stopped' || (outage !== undefined && phase === 'failed' && error?.kind === 'unreachable')
    );
  }

  #startOutage(error: GatewayError): void {
    const outage = { since: this.#state.outage?.since ?? Date.now(), error };
    this.#setState({ ...this.#state, outage });
    if (this.gateway.kind === 'gateway' && canCheck(outage)) this.#checks.start();
    else this.#checks.stop();
  }

  /** Reads the model list without showing that it loads, or that it failed again. It is free of charge. */
  async #check(): Promise<void> {
    if (this.#state.phase !== 'loading' && this.gateway.kind === 'gateway') await this.#readModels();
  }

  async #readModels(signal?: AbortSignal): Promise<GatewayState> {
    this.#refresh?.abort();
    const controller = new AbortController();
    this.#refresh = controller;
    const signals = signal ? [controller.signal, signal] : [controller.signal];
    try {
      const client = await this.getClient();
      let omittedModelCount = 0;
      const onOmitted = (count: number) => {
        omittedModelCount = count;
      };
      const listed = await client.listModels({ signal: AbortSignal.any(signals), onOmitted });
      if (controller.signal.aborted) return this.#state;
      const isPriced = hasPrices(listed);
      const models = isPriced ? listed : replaceTokenPrices(listed, collectTokenPrices(this.#state.models));
      await this.#storeModels(models, omittedModelCount);
      this.#setState({
        ...this.#state,
        phase: 'ready',
        models,
        omittedModelCount,
        modelsReadAt: Date.now(),
        error: undefined,
      });
      if (!isPriced) {
        this.#addPrices(client, models, controller.signal).catch((error) =>
          this.#options.log.warn('connection', `${this.gateway.name}: prices: ${errorMessage(error)}`),
        );
      }
    } catch (error) {
      if (controller.signal.aborted) return this.#state;
      this.#setError(toGatewayError(error, this.gateway));
    }
    if (this.#isStale) {
      this.#isStale = false;
      void this.#readModels();
    }
    return this.#state;
  }

  /**
   * Requests the prices if the list does not contain them. Until they arrive, the list is shown with the earlier
   * prices.
   */
  async #addPrices(client: GatewayClient, models: readonly Model[], signal: AbortSignal): Promise<void> {
    if (this.gateway.kind !== 'gateway' || models.length === 0) return;
    const prices = await this.#priceList.read(client, signal);
    if (signal.aborted || prices === undefined) return;
    const priced = replaceTokenPrices(models, prices);
    if (!hasPrices(models) && !hasPrices(priced)) return;
    this.#setState({ ...this.#state, models: priced });
    await this.#storeModels(priced, this.#state.omittedModelCount);
  }

  #setError(error: GatewayError): void {
    this.#options.log.warn('connection', `${this.gateway.name}: ${error.kind}: ${error.message}`);
    // The outage already describes a check that failed again.
    if (this.#state.phase !== 'loading' && this.#state.outage) return;
    const phase = error.kind === 'cancelled' ? 'idle' : 'failed';
    this.#setState({ ...this.#state, phase, error });
  }

  async #storeModels(models: readonly Model[], beyond: number): Promise<void> {
    const first = selectStoredModels(models);
    const stored = { readAt: Date.now(), models: first, beyond: beyond + models.length - first.length };
    await this.#options.memory.update(buildModelsKey(this.gateway), stored);
  }

  #setState(state: GatewayState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

function createInitialState({ gateway, memory, isStopped }: GatewayConnectionOptions): GatewayState {
  const stored = memory.get<StoredModels>(buildModelsKey(gateway));
  return {
    gateway,
    phase: isStopped ? 'stopped' : 'idle',
    models: stored?.models ?? [],
    omittedModelCount: stored?.beyond ?? 0,
    modelsReadAt: stored?.readAt,
    error: undefined,
    outage: undefined,
  };
}

function buildModelsKey(gateway: Gateway): string {
  return `models/${buildGatewayKey(gateway)}`;
}
