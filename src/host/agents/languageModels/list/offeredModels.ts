import * as vscode from 'vscode';
import { Throttle } from '../../../../base/throttle.ts';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { Connection } from '../../../connection/connection.ts';
import type { GatewayConnection, GatewayState } from '../../../connection/gatewayConnection.ts';
import { buildGatewayKey, findGatewayByKey, type Gateway, localEntry } from '../../../connection/gateways.ts';
import { runCommand } from '../../../kit/manifest/contributions.ts';
import { onDidChangeSettings, readSetting } from '../../../kit/manifest/settings.ts';
import { FormatChoice } from '../../../models/formatChoice.ts';
import type { ModelServices } from '../../../models/modelServices.ts';
import { readModelRules } from '../../../models/modelSettings.ts';
import { GatewayOffers } from './gatewayOffers.ts';
import { ListFreshness, waitUnlessCancelled } from './listFreshness.ts';
import { type OfferedModel, sameOffers } from './offeredModel.ts';
import { staleWords } from './offeredWords.ts';

/** The offers of one gateway, with the values that they were built from. */
interface CachedOffers {
  readonly models: readonly Model[];
  readonly warning: string | undefined;
  readonly hasOtherGateways: boolean;
  readonly offers: readonly OfferedModel[];
}

/** Changes during this time cause one event. In milliseconds. */
const changeMs = 50;

/**
 * The models offered in VS Code's own chat, of the window's gateway or of all gateways. The last known models of a
 * gateway are offered until it replies, so that the list is available at startup and during an outage.
 */
export class OfferedModels implements vscode.Disposable {
  readonly #services: ModelServices;
  readonly #freshness: ListFreshness;
  readonly #formats: FormatChoice;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #changes = new Throttle(() => this.#fireIfChanged(), changeMs);
  readonly #subscriptions: readonly { dispose(): void }[];
  /** By the keys of gateways. Cleared when a setting changes, or a mark or a verdict of a model. */
  readonly #cache = new Map<string, CachedOffers>();
  #offers: GatewayOffers | undefined;
  /** The list that VS Code last received or was notified about. */
  #lastReported: readonly OfferedModel[] = [];
  /** Fires when the result of `list` would differ from its last result. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(services: ModelServices) {
    const { connection, modelChoices } = services;
    this.#services = services;
    this.#freshness = new ListFreshness(services);
    this.#formats = new FormatChoice(services.memory, readModelRules);
    const clearCache = () => {
      this.#offers = undefined;
      this.#cache.clear();
      this.#changes.schedule();
    };
    this.#subscriptions = [
      connection.onDidChangeGateways(() => this.#changes.schedule()),
      modelChoices.marks.onDidChange(clearCache),
      modelChoices.verdicts.onDidChange(clearCache),
      onDidChangeSettings(clearCache),
      this.#changes,
    ];
    // VS Code does not request models at its start, so it is notified of the stored models.
    this.#changes.schedule();
  }

  /**
   * Reads missing or old lists, and returns the models to offer. If the token is cancelled, returns the models known so
   * far.
   *
   * @param silent false if the user requested the list: then each list is read again, and a dialog may be shown
   */
  async list(silent: boolean, token: vscode.CancellationToken): Promise<readonly OfferedModel[]> {
    if (!silent) promptForMissing(this.#services.connection);
    const reads = this.#connections.map((connection) =>
      silent ? this.#freshness.refreshIfNeeded(connection) : this.#freshness.refreshForUser(connection),
    );
    await waitUnlessCancelled(Promise.all(reads), token);
    this.#lastReported = this.offered;
    return this.#lastReported;
  }

  /** The model, with the API format that the user has chosen since it was offered. */
  withChosenFormat(model: OfferedModel): OfferedModel {
    const gateway = findGatewayByKey(this.#services.gateways, model.gateway);
    const format = gateway && this.#formats.chosenFormat(gateway, model.model);
    return format === undefined || format === model.format ? model : { ...model, format };
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }

  #fireIfChanged(): void {
    const { offered } = this;
    if (sameOffers(offered, this.#lastReported)) return;
    this.#lastReported = offered;
    this.#onDidChange.fire();
  }

  /** The models to offer without reading any list. */
  get offered(): readonly OfferedModel[] {
    const connections = this.#connections;
    return connections.flatMap(({ state }) => this.#createOffers(state, connections.length > 1));
  }

  #createOffers(state: GatewayState, hasOtherGateways: boolean): readonly OfferedModel[] {
    const { gateway, models } = state;
    const warning = staleWords(state);
    const key = buildGatewayKey(gateway);
    const cached = this.#cache.get(key);
    const isSame = cached?.models === models && cached.warning === warning;
    if (cached && isSame && cached.hasOtherGateways === hasOtherGateways) return cached.offers;
    const list = { models, warning, hasOtherGateways };
    const { modelChoices, memory } = this.#services;
    this.#offers ??= new GatewayOffers(modelChoices, memory, readModelRules());
    const offers = this.#offers.of({ gateway, ...list });
    this.#cache.set(key, { ...list, offers });
    return offers;
  }

  /** The connections whose models are offered; the window's gateway is first. */
  get #connections(): readonly GatewayConnection[] {
    const { connection, gateways } = this.#services;
    const { current } = gateways;
    const offersAll = readSetting<string>('vscodeChat.gateways') === 'all';
    const others: readonly Gateway[] = offersAll ? [...gateways.all, localEntry] : [];
    const gatewaysByKey = new Map(
      [...(current ? [current] : []), ...others].map((each) => [buildGatewayKey(each), each]),
    );
    return [...gatewaysByKey.values()]
      .map((each) => connection.get(each))
      .filter((each) => each.gateway.kind !== 'local' || each === connection.current || isInUse(each));
  }
}

/** Whether the local gateway was used before. Otherwise, its models are not offered. */
function isInUse({ state }: GatewayConnection): boolean {
  return state.models.length > 0;
}

/** Opens the dialog for a missing gateway or credential. Does not wait for the user: the list changes afterwards. */
function promptForMissing({ state }: Connection): void {
  if (state.gateway === undefined) void runCommand('connect');
  else if (state.error?.kind === 'authentication') void runCommand('setCredential');
}
