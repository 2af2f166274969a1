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

/** The state of a gateway. After a failure, it still contains the models of the last successful read. */
export interface GatewayState {
  readonly gateway: Gateway;
  /**
   * `idle` until an action of the user sends a request in this session. `stopped` for a local gateway that the user
   * stopped.
   */
  readonly phase: 'idle' | 'loading' | 'ready' | 'failed' | 'stopped';
  readonly models: readonly Model[];
  /** The number of models that are missing in `models`, because the gateway lists too many models. */
  readonly omittedModelCount: number;
  /** The time when `models` was read from the gateway, in milliseconds since 1970. */
  readonly modelsReadAt: number | undefined;
  readonly error: GatewayError | undefined;
  /** Present while the gateway cannot be reached, even if the models could be read before. */
  readonly outage: Outage | undefined;
}

interface StoredModels {
  readonly readAt: number;
  readonly models: readonly Model[];
  /** The number of models of the gateway that were not stored. */
  readonly omittedCount?: number;
}

interface GatewayConnectionOptions {
  readonly gateway: Gateway;
  /** Stores the model list, which is shown at the next start before any request. */
  readonly memory: vscode.Memento;
  readonly open: (gateway: Gateway) => Promise<GatewayClient>;
  readonly onChange: () => void;
  /** Whether the window has the focus. */
  readonly isWatched: () => boolean;
  /** Whether the user stopped this gateway. */
  readonly isStopped: boolean;
  readonly log: Log;
}

/** A gateway in this window: its client, its models and its state. */
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

  /** Reads the model list without showing the progress. A read in progress is repeated afterwards. */
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

  /** Resumes the checks when the window has the focus again. */
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

  /** Reads the model list without showing the progress or a repeated failure. The request is free of charge. */
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
      const listedModels = await client.listModels({ signal: AbortSignal.any(signals), onOmitted });
      if (controller.signal.aborted) return this.#state;
      const isPriced = hasPrices(listedModels);
      const models = isPriced
        ? listedModels
        : replaceTokenPrices(listedModels, collectTokenPrices(this.#state.models));
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
   * Requests the prices, for a list without prices. Until they arrive, the list is shown with the earlier prices.
   */
  async #addPrices(client: GatewayClient, models: readonly Model[], signal: AbortSignal): Promise<void> {
    if (this.gateway.kind !== 'gateway' || models.length === 0) return;
    const prices = await this.#priceList.read(client, signal);
    if (signal.aborted || prices === undefined) return;
    const pricedModels = replaceTokenPrices(models, prices);
    if (!hasPrices(models) && !hasPrices(pricedModels)) return;
    this.#setState({ ...this.#state, models: pricedModels });
    await this.#storeModels(pricedModels, this.#state.omittedModelCount);
  }

  #setError(error: GatewayError): void {
    this.#options.log.warn('connection', `${this.gateway.name}: ${error.kind}: ${error.message}`);
    // The state of the outage already shows that the gateway cannot be reached.
    if (this.#state.phase !== 'loading' && this.#state.outage) return;
    const phase = error.kind === 'cancelled' ? 'idle' : 'failed';
    this.#setState({ ...this.#state, phase, error });
  }

  async #storeModels(models: readonly Model[], omittedCount: number): Promise<void> {
    const storedModels = selectStoredModels(models);
    await this.#options.memory.update(buildModelsKey(this.gateway), {
      readAt: Date.now(),
      models: storedModels,
      omittedCount: omittedCount + models.length - storedModels.length,
    });
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
    omittedModelCount: stored?.omittedCount ?? 0,
    modelsReadAt: stored?.readAt,
    error: undefined,
    outage: undefined,
  };
}

function buildModelsKey(gateway: Gateway): string {
  return `models/${buildGatewayKey(gateway)}`;
}
