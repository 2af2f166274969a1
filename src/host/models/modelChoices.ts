import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { findModelUses, type ModelUse } from '../../wire/apis/models/modelUse.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';
import type { ModelRules } from './modelRules.ts';
import { ModelVerdicts } from './modelVerdicts.ts';

/** Data about models that is stored on this machine, in addition to their gateways' lists. */
export class ModelChoices {
  readonly marks: ModelMarks;
  readonly memory: ModelMemory;
  readonly verdicts: ModelVerdicts;
  readonly #rules: () => ModelRules;
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  /** @param rules returns the user's settings of models */
  constructor(state: vscode.Memento, rules: () => ModelRules) {
    this.marks = new ModelMarks(state);
    this.memory = new ModelMemory(state);
    this.verdicts = new ModelVerdicts(state);
    this.#rules = rules;
    for (const { onDidChange } of [this.marks, this.memory, this.verdicts])
      onDidChange(() => this.#didChange.fire());
  }

  /** Returns a lookup from model to uses. */
  usesLookup(gateway: Gateway): (model: Model) => readonly ModelUse[] {
    const choices = this.marks.inChats(gateway);
    const rules = this.#rules();
    return (model) =>
      findModelUses(model, { isForChats: choices.get(model.id), useByRules: rules.use(model.id) });
  }

  /**
   * Returns a lookup: whether VS Code's own chat offers a model. The user's choice for a single model has precedence
   * over the setting, and the setting over the model's use and verdict.
   */
  vsCodeChatLookup(gateway: Gateway): (model: Model) => boolean {
    const choices = this.marks.inVsCodeChat(gateway);
    const rules = this.#rules();
    const uses = this.usesLookup(gateway);
    const failed = this.verdicts.hidesFailing ? this.verdicts.of(gateway) : undefined;
    return (model) =>
      choices.get(model.id) ??
      rules.offered(model.id) ??
      (uses(model).includes('chat') && failed?.get(model.id)?.failure === undefined);
  }

  /** Filters models by their use. */
  filterByUse(use: ModelUse, gateway: Gateway, models: readonly Model[]): readonly Model[] {
    const uses = this.usesLookup(gateway);
    return models.filter((model) => uses(model).includes(use));
  }

  /** Suggests a model for a new conversation; undefined if the gateway does not list a chat model. */
  suggestForChat(gateway: Gateway | undefined, models: readonly Model[]): string | undefined {
    return gateway && this.memory.suggest(gateway, this.filterByUse('chat', gateway, models));
  }
}

/**
 * Stores the user's marks of models of each gateway: pinned models, and models that are offered or hidden in our chats
 * and in VS Code's own chat.
 */
class ModelMarks {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The ids of the pinned models, in the order of pinning. */
  pinned(gateway: Gateway): readonly string[] {
    const stored = this.#state.get<unknown>(stateKey('pinnedModels', gateway));
    return Array.isArray(stored) ? [...new Set(stored.filter((id) => typeof id === 'string'))] : [];
  }

  async pin(gateway: Gateway, model: string, isPinned: boolean): Promise<void> {
    const others = this.pinned(gateway).filter((id) => id !== model);
    await this.#store(stateKey('pinnedModels', gateway), isPinned ? [...others, model] : others);
  }

  /** Whether models are offered in chats, by their ids. Contains only the user's choices. */
  inChats(gateway: Gateway): ReadonlyMap<string, boolean> {
    return this.#choices(stateKey('modelsInChats', gateway));
  }

  async offerInChats(gateway: Gateway, model: string, isOffered: boolean): Promise<void> {
    await this.#storeChoice(stateKey('modelsInChats', gateway), model, isOffered);
  }

  /** Whether models are offered in VS Code's own chat, by their ids. Contains only the user's choices. */
  inVsCodeChat(gateway: Gateway): ReadonlyMap<string, boolean> {
    return this.#choices(stateKey('modelsInVsCodeChat', gateway));
  }

  async offerInVsCodeChat(gateway: Gateway, model: string, isOffered: boolean): Promise<void> {
    await this.#storeChoice(stateKey('modelsInVsCodeChat', gateway), model, isOffered);
  }

  #choices(key: string): ReadonlyMap<string, boolean> {
    const stored = this.#state.get<unknown>(key);
    const entries = Object.entries(isObject(stored) ? stored : {});
    return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  }

  async #storeChoice(key: string, model: string, isOffered: boolean): Promise<void> {
    await this.#store(key, Object.fromEntries(new Map(this.#choices(key)).set(model, isOffered)));
  }

  async #store(key: string, value: unknown): Promise<void> {
    await this.#state.update(key, value);
    this.#didChange.fire();
  }
}

const maxRecent = 5;

/** Remembers the models of each gateway that the user used, and the requests that they refuse. */
class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  /** The models that their gateway has refused since the window opened. */
  readonly #refused = new Set<string>();
  /** The models that refused to continue a conversation ending with a reply. */
  readonly #prefixRefused = new Set<string>();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The recently used models, the last one first, without models that were refused since then. */
  recent(gateway: Gateway): readonly string[] {
    const stored = this.#state.get<unknown>(stateKey('recentModels', gateway));
    const ids = new Set(Array.isArray(stored) ? stored : []);
    return [...ids].filter((id) => typeof id === 'string' && !this.#refused.has(refusedKey(gateway, id)));
  }

  /** Records that a model replied, or that a task was sent to it. */
  async noteUsed(gateway: Gateway, model: string): Promise<void> {
    const wasRefused = this.#refused.delete(refusedKey(gateway, model));
    const before = this.recent(gateway);
    if (before[0] === model && !wasRefused) return;
    const recent = [model, ...before.filter((id) => id !== model)].slice(0, maxRecent);
    await this.#state.update(stateKey('recentModels', gateway), recent);
    this.#didChange.fire();
  }

  /** Records that the gateway does not provide the model to this account, or not for chats. */
  noteRefused(gateway: Gateway, model: string): void {
    this.#refused.add(refusedKey(gateway, model));
    this.#didChange.fire();
  }

  /** Records that a model cannot continue a conversation that ends with a reply. */
  noteRefusedPrefix(gateway: Gateway, model: string): void {
    this.#prefixRefused.add(refusedKey(gateway, model));
  }

  refusesPrefix(gateway: Gateway, model: string): boolean {
    return this.#prefixRefused.has(refusedKey(gateway, model));
  }

  /** The last compared models of a gateway. */
  compared(gateway: Gateway): readonly string[] {
    const stored = this.#state.get<unknown>(stateKey('comparedModels', gateway));
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
  }

  async noteCompared(gateway: Gateway, models: readonly string[]): Promise<void> {
    await this.#state.update(stateKey('comparedModels', gateway), models);
  }

  /**
   * Suggests a model for a new conversation: the model that was used last, or else the first one. Refused models and
   * models of the demo are suggested only if there are no other models.
   *
   * @param models the gateway's chat models
   */
  suggest(gateway: Gateway, models: readonly Model[]): string | undefined {
    const listedIds = new Set(models.map(({ id }) => id));
    const last = this.recent(gateway).find((id) => listedIds.has(id));
    if (last !== undefined) return last;
    const withoutDemo = models.filter(({ id }) => !isDemoModel(gateway, id));
    const candidates = withoutDemo.length > 0 ? withoutDemo : models;
    return (candidates.find(({ id }) => !this.#refused.has(refusedKey(gateway, id))) ?? candidates[0])?.id;
  }
}

type StoredList = 'recentModels' | 'comparedModels' | 'pinnedModels' | 'modelsInChats' | 'modelsInVsCodeChat';

function stateKey(list: StoredList, gateway: Gateway): string {
  return `${list}/${buildMemoryKey(gateway)}`;
}

function refusedKey(gateway: Gateway, model: string): string {
  return `${buildMemoryKey(gateway)}/${model}`;
}
