import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { findModelUses, type ModelUse } from '../../wire/apis/models/modelUse.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import { ModelMemory } from './modelMemory.ts';
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
      findModelUses(model, { inChats: choices.get(model.id), useByRules: rules.use(model.id) });
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

  /** Returns the models that are for this use. */
  modelsFor(use: ModelUse, gateway: Gateway, models: readonly Model[]): readonly Model[] {
    const uses = this.usesLookup(gateway);
    return models.filter((model) => uses(model).includes(use));
  }

  /** Suggests a model for a new conversation; undefined if no model is for chats. */
  suggestForChat(gateway: Gateway | undefined, models: readonly Model[]): string | undefined {
    return gateway && this.memory.suggest(gateway, this.modelsFor('chat', gateway, models));
  }
}

/**
 * Stores the user's marks of single models of each gateway: pinned models, and models that are offered or hidden in our
 * chats and in VS Code's own chat.
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

  async pin(gateway: Gateway, model: string, pinned: boolean): Promise<void> {
    const others = this.pinned(gateway).filter((id) => id !== model);
    await this.#store(stateKey('pinnedModels', gateway), pinned ? [...others, model] : others);
  }

  /** Whether models are offered in chats, by their ids. Contains only the user's choices. */
  inChats(gateway: Gateway): ReadonlyMap<string, boolean> {
    return this.#choices(stateKey('modelsInChats', gateway));
  }

  async offerInChats(gateway: Gateway, model: string, offered: boolean): Promise<void> {
    await this.#storeChoice(stateKey('modelsInChats', gateway), model, offered);
  }

  /** Whether models are offered in VS Code's own chat, by their ids. Contains only the user's choices. */
  inVsCodeChat(gateway: Gateway): ReadonlyMap<string, boolean> {
    return this.#choices(stateKey('modelsInVsCodeChat', gateway));
  }

  async offerInVsCodeChat(gateway: Gateway, model: string, offered: boolean): Promise<void> {
    await this.#storeChoice(stateKey('modelsInVsCodeChat', gateway), model, offered);
  }

  #choices(key: string): ReadonlyMap<string, boolean> {
    const stored = this.#state.get<unknown>(key);
    const entries = Object.entries(isObject(stored) ? stored : {});
    return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  }

  async #storeChoice(key: string, model: string, offered: boolean): Promise<void> {
    await this.#store(key, Object.fromEntries(new Map(this.#choices(key)).set(model, offered)));
  }

  async #store(key: string, value: unknown): Promise<void> {
    await this.#state.update(key, value);
    this.#didChange.fire();
  }
}

function stateKey(list: 'pinnedModels' | 'modelsInChats' | 'modelsInVsCodeChat', gateway: Gateway): string {
  return `${list}/${buildMemoryKey(gateway)}`;
}
