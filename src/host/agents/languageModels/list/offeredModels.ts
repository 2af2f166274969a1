import * as vscode from 'vscode';
import { Throttle } from '../../../../base/throttle.ts';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { Connection } from '../../../connection/connection.ts';
import type { Credentials } from '../../../connection/credentials.ts';
import { failureMessage } from '../../../connection/failureMessage.ts';
import type { GatewayConnection, GatewayState } from '../../../connection/gatewayConnection.ts';
import {
  type Gateway,
  type Gateways,
  gatewayKey,
  gatewayOfKey,
  localEntry,
} from '../../../connection/gateways.ts';
import type { LocalGateway } from '../../../connection/localGateway.ts';
import { runCommand } from '../../../kit/manifest/contributions.ts';
import { onDidChangeSettings, readSetting } from '../../../kit/manifest/settings.ts';
import { FormatChoice } from '../../../models/formatChoice.ts';
import type { ModelNotes } from '../../../models/modelNotes.ts';
import { readModelRules } from '../../../models/modelSettings.ts';
import { GatewayOffers } from './gatewayOffers.ts';
import { ListFreshness, unlessCancelled } from './listFreshness.ts';
import type { OfferedModel } from './offeredModel.ts';
import { sameOffers } from './sameOffers.ts';

export interface OfferedModelsServices {
  readonly connection: Connection;
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
  readonly modelNotes: ModelNotes;
  readonly memory: vscode.Memento;
}

/** The offers of one gateway, with what they were made of. */
interface KnownOffers {
  readonly models: readonly Model[];
  readonly warning: string | undefined;
  readonly amongSeveral: boolean;
  readonly offers: readonly OfferedModel[];
}

/** Several changes within so many milliseconds are told once. */
const changeMs = 50;

/**
 * The models that VS Code's own chat offers: those of the window's gateway, or of all. What was last known of a gateway
 * is offered until it answers, so that the list is there before the network is and stays when it fails.
 */
export class OfferedModels implements vscode.Disposable {
  readonly #services: OfferedModelsServices;
  readonly #freshness: ListFreshness;
  readonly #formats: FormatChoice;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #changes = new Throttle(() => this.#tell(), changeMs);
  readonly #subscriptions: readonly { dispose(): void }[];
  /** By gateway; emptied when a setting or what is noted of models changed. */
  readonly #known = new Map<string, KnownOffers>();
  #offers: GatewayOffers | undefined;
  /** What VS Code was last given, or told to ask for. */
  #given: readonly OfferedModel[] = [];
  /** Fires when `list` would return something else than it last did. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(services: OfferedModelsServices) {
    const { connection, modelNotes } = services;
    this.#services = services;
    this.#freshness = new ListFreshness(services);
    this.#formats = new FormatChoice(services.memory, readModelRules);
    const forget = () => {
      this.#offers = undefined;
      this.#known.clear();
      this.#changes.schedule();
    };
    this.#subscriptions = [
      connection.onDidChangeGateways(() => this.#changes.schedule()),
      modelNotes.marks.onDidChange(forget),
      modelNotes.verdicts.onDidChange(forget),
      onDidChangeSettings(forget),
      this.#changes,
    ];
    // VS Code asks nobody at its start: those that are kept have to be told.
    this.#changes.schedule();
  }

  /**
   * The models to offer now.
   *
   * @param silent whether nothing may be asked of the user
   */
  async list(silent: boolean, token: vscode.CancellationToken): Promise<readonly OfferedModel[]> {
    if (!silent) askForWhatLacks(this.#services.connection);
    const reads = this.#connections.map((connection) =>
      silent ? this.#freshness.ofItself(connection) : this.#freshness.byUser(connection),
    );
    await unlessCancelled(Promise.all(reads), token);
    const now = this.offered;
    this.#given = now;
    return now;
  }

  /** The model with the API format that was chosen for it meanwhile. */
  asked(model: OfferedModel): OfferedModel {
    const gateway = gatewayOfKey(this.#services.gateways, model.gateway);
    const format = gateway && this.#formats.said(gateway, model.model);
    return format === undefined || format === model.format ? model : { ...model, format };
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }

  #tell(): void {
    const now = this.offered;
    if (sameOffers(now, this.#given)) return;
    this.#given = now;
    this.#onDidChange.fire();
  }

  /** The models as they stand now; nothing is asked for. */
  get offered(): readonly OfferedModel[] {
    const connections = this.#connections;
    return connections.flatMap(({ state }) => this.#offersOf(state, connections.length > 1));
  }

  #offersOf(state: GatewayState, amongSeveral: boolean): readonly OfferedModel[] {
    const { gateway, models } = state;
    const warning = staleWords(state);
    const key = gatewayKey(gateway);
    const known = this.#known.get(key);
    const isSame = known?.models === models && known.warning === warning;
    if (known && isSame && known.amongSeveral === amongSeveral) return known.offers;
    const list = { models, warning, amongSeveral };
    this.#offers ??= this.#makeOffers();
    const offers = this.#offers.of({ gateway, ...list });
    this.#known.set(key, { ...list, offers });
    return offers;
  }

  #makeOffers(): GatewayOffers {
    return new GatewayOffers(this.#services.modelNotes, this.#services.memory, readModelRules());
  }

  /** The connections whose models are offered, that of the window's gateway first. */
  get #connections(): readonly GatewayConnection[] {
    const { connection, gateways } = this.#services;
    const { current } = gateways;
    const offersAll = readSetting<string>('vscodeChat.gateways') === 'all';
    const others: readonly Gateway[] = offersAll
      ? [...gateways.all.map((each) => ({ kind: 'gateway' as const, ...each })), localEntry]
      : [];
    const chosen = new Map(
      [...(current ? [current] : []), ...others].map((each) => [gatewayKey(each), each]),
    );
    return [...chosen.values()]
      .map((each) => connection.of(each))
      .filter((each) => each.gateway.kind !== 'local' || each === connection.current || isInUse(each));
  }
}

/** Whether the local gateway was used before; nobody is offered one that was not. */
function isInUse({ state }: GatewayConnection): boolean {
  return state.models.length > 0;
}

/** Opens what the user lacks to have models. It is not waited for: the list changes when it is there. */
function askForWhatLacks({ state }: Connection): void {
  if (state.gateway === undefined) void runCommand('connect');
  else if (state.error?.kind === 'authentication') void runCommand('setCredential');
}

/** Why the models may not be those that the gateway has now; undefined where they are. */
function staleWords({ gateway, phase, outage, error }: GatewayState): string | undefined {
  const { t } = vscode.l10n;
  if (phase === 'stopped') return t('{0} is stopped. Asking a model starts it.', gateway.name);
  const failure = outage?.error ?? (phase === 'failed' ? error : undefined);
  return failure && t('{0}: {1}. This is its last list.', gateway.name, failureMessage(failure).title);
}
