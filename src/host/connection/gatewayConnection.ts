import type * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { systemClock } from '../../base/node/clock.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { ExchangeRecord } from '../../client/types.ts';
import { tellsPrices, tokenPricesOf, withTokenPrices } from '../../wire/apis/models/modelInfo.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { routes } from '../../wire/routes.ts';
import type { Log } from '../kit/display/log.ts';
import { asGatewayError } from './gatewayError.ts';
import { type Gateway, gatewayKey } from './gateways.ts';
import { firstModels } from './keptModels.ts';
import { findingOf, mayCheck, type Outage } from './outage.ts';
import { OutageChecks } from './outageChecks.ts';
import { PricesApart } from './pricesApart.ts';

/** The state of a gateway. After a failure the models of the last successful read remain. */
export interface GatewayState {
  readonly gateway: Gateway;
  /**
   * `unasked` until the user does something that sends a request in this session. `stopped` for a local
   * gateway that the user stopped.
   */
  readonly phase: 'unasked' | 'loading' | 'ready' | 'failed' | 'stopped';
  readonly models: readonly Model[];
  /** The number of models that were left out of `models` because there are too many. */
  readonly modelsBeyond: number;
  /** When `models` came from the gateway, in milliseconds since 1970. */
  readonly modelsReadAt: number | undefined;
  readonly error: GatewayError | undefined;
  /** Present while the gateway cannot be reached, whichever request found that out. */
  readonly outage: Outage | undefined;
}

interface KnownModels {
  readonly readAt: number;
  readonly models: readonly Model[];
  /** The number of models that were not kept. */
  readonly beyond?: number;
}

export interface GatewayConnectionOptions {
  readonly gateway: Gateway;
  /** Keeps the model list, to show it at the next start before anything is sent. */
  readonly memory: vscode.Memento;
  readonly open: (gateway: Gateway) => Promise<GatewayClient>;
  readonly onChange: () => void;
  /** Whether somebody looks at the window. */
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
  /** Whether the list may have changed while it was read. */
  #isStale = false;
  readonly #checks: OutageChecks;
  readonly #pricesApart = new PricesApart();

  constructor(options: GatewayConnectionOptions) {
    this.#options = options;
    this.#state = unasked(options);
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

  /** The gateway's client. Starts the local gateway if this is it. */
  client(): Promise<GatewayClient> {
    this.#client ??= this.#options.open(this.gateway).catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /**
   * Reads the model list again and aborts an earlier read. Never rejects: a failure is in the returned state.
   */
  async refresh(signal?: AbortSignal): Promise<GatewayState> {
    this.#become({ ...this.#state, phase: 'loading' });
    return this.#read(signal);
  }

  /** Reads the model list without showing that it loads. A read under way is repeated. */
  update(): void {
    if (this.#state.phase === 'loading') this.#isStale = true;
    else void this.#read();
  }

  /** Learns from any request whether the gateway can be reached. */
  note(exchange: ExchangeRecord): void {
    const finding = findingOf(exchange);
    const isRead = exchange.route === routes.listModels.name;
    if (finding.kind === 'unreachable') this.#lost(finding.error);
    else if (finding.kind === 'doubtful' && !isRead) this.#checks.doubt();
    else if (finding.kind === 'reached' && this.#found() && !isRead) void this.#read();
  }

  /** Somebody looks at the window again. */
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
   * @returns whether the model list could not be read meanwhile
   */
  #found(): boolean {
    const { outage, phase, error } = this.#state;
    this.#checks.stop();
    if (outage) this.#become({ ...this.#state, outage: undefined });
    return (
      phase === 'stopped' || (outage !== undefined && phase === 'failed' && error?.kind === 'unreachable')
    );
  }

  #lost(error: GatewayError): void {
    const outage = { since: this.#state.outage?.since ?? Date.now(), error };
    this.#become({ ...this.#state, outage });
    if (this.gateway.kind === 'gateway' && mayCheck(outage)) this.#checks.start();
    else this.#checks.stop();
  }

  /** Reads the model list without showing that it loads, or that it failed again. Costs nothing. */
  async #check(): Promise<void> {
    if (this.#state.phase !== 'loading' && this.gateway.kind === 'gateway') await this.#read();
  }

  async #read(signal?: AbortSignal): Promise<GatewayState> {
    this.#refresh?.abort();
    const own = new AbortController();
    this.#refresh = own;
    const signals = signal ? [own.signal, signal] : [own.signal];
    try {
      const client = await this.client();
      let modelsBeyond = 0;
      const onOmitted = (count: number) => {
        modelsBeyond = count;
      };
      const listed = await client.listModels({ signal: AbortSignal.any(signals), onOmitted });
      if (own.signal.aborted) return this.#state;
      const isPriced = tellsPrices(listed);
      const models = isPriced ? listed : withTokenPrices(listed, tokenPricesOf(this.#state.models));
      await this.#remember(models, modelsBeyond);
      const news = { models, modelsBeyond, modelsReadAt: Date.now(), error: undefined };
      this.#become({ ...this.#state, phase: 'ready', ...news });
      if (!isPriced) {
        this.#price(client, models, own.signal).catch((error) =>
          this.#options.log.warn('connection', `${this.gateway.name}: prices: ${errorMessage(error)}`),
        );
      }
    } catch (error) {
      if (own.signal.aborted) return this.#state;
      this.#fail(asGatewayError(error, this.gateway));
    }
    if (this.#isStale) {
      this.#isStale = false;
      void this.#read();
    }
    return this.#state;
  }

  /** Asks for the prices that the list does not tell. The list is shown meanwhile, with the prices of before. */
  async #price(client: GatewayClient, models: readonly Model[], signal: AbortSignal): Promise<void> {
    if (this.gateway.kind !== 'gateway' || models.length === 0) return;
    const prices = await this.#pricesApart.read(client, signal);
    if (signal.aborted || prices === undefined) return;
    const priced = withTokenPrices(models, prices);
    if (!tellsPrices(models) && !tellsPrices(priced)) return;
    this.#become({ ...this.#state, models: priced });
    await this.#remember(priced, this.#state.modelsBeyond);
  }

  #fail(error: GatewayError): void {
    this.#options.log.warn('connection', `${this.gateway.name}: ${error.kind}: ${error.message}`);
    // A check that failed again tells nothing that the outage does not.
    if (this.#state.phase !== 'loading' && this.#state.outage) return;
    const phase = error.kind === 'cancelled' ? 'unasked' : 'failed';
    this.#become({ ...this.#state, phase, error });
  }

  async #remember(models: readonly Model[], beyond: number): Promise<void> {
    const kept = firstModels(models);
    const known = { readAt: Date.now(), models: kept, beyond: beyond + models.length - kept.length };
    await this.#options.memory.update(modelsKey(this.gateway), known);
  }

  #become(state: GatewayState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

function unasked({ gateway, memory, isStopped }: GatewayConnectionOptions): GatewayState {
  const known = memory.get<KnownModels>(modelsKey(gateway));
  return {
    gateway,
    phase: isStopped ? 'stopped' : 'unasked',
    models: known?.models ?? [],
    modelsBeyond: known?.beyond ?? 0,
    modelsReadAt: known?.readAt,
    error: undefined,
    outage: undefined,
  };
}

function modelsKey(gateway: Gateway): string {
  return `models/${gatewayKey(gateway)}`;
}
