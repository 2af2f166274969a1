import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';

const maxRecent = 5;

/** Stores the recently used models of each gateway: the models that replied, the last one first. */
export class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  /** The models that their gateway refused since the window opened. */
  readonly #refused = new Set<string>();
  /** The models that refused to continue a conversation ending with a reply. */
  readonly #prefixRefused = new Set<string>();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The models that replied last. Models that were refused since then are left out. */
  recent(gateway: Gateway): readonly string[] {
    const stored = this.#state.get<unknown>(stateKey('recentModels', gateway));
    const ids = new Set(Array.isArray(stored) ? stored : []);
    return [...ids].filter((id) => typeof id === 'string' && !this.#refused.has(refusedKey(gateway, id)));
  }

  /** Notes that a model replied, or was sent a task. */
  async noteUsed(gateway: Gateway, model: string): Promise<void> {
    const wasRefused = this.#refused.delete(refusedKey(gateway, model));
    const before = this.recent(gateway);
    if (before[0] === model && !wasRefused) return;
    const recent = [model, ...before.filter((id) => id !== model)].slice(0, maxRecent);
    await this.#state.update(stateKey('recentModels', gateway), recent);
    this.#didChange.fire();
  }

  /** Notes that the gateway has no such model for this account, or not for chats. */
  noteRefused(gateway: Gateway, model: string): void {
    this.#refused.add(refusedKey(gateway, model));
    this.#didChange.fire();
  }

  /** Notes that a model cannot continue a conversation that ends with a reply. */
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
   * Suggests a model for a new conversation: the one that replied last, or else the gateway's first model. Refused
   * models and the demo's are used only if there is no other.
   *
   * @param models the gateway's models that are for chats
   */
  suggest(gateway: Gateway, models: readonly Model[]): string | undefined {
    const listed = new Set(models.map(({ id }) => id));
    const last = this.recent(gateway).find((id) => listed.has(id));
    if (last !== undefined) return last;
    const own = models.filter(({ id }) => !isDemoModel(gateway, id));
    const choice = own.length > 0 ? own : models;
    return (choice.find(({ id }) => !this.#refused.has(refusedKey(gateway, id))) ?? choice[0])?.id;
  }
}

function stateKey(list: 'recentModels' | 'comparedModels', gateway: Gateway): string {
  return `${list}/${memoryKey(gateway)}`;
}

function refusedKey(gateway: Gateway, model: string): string {
  return `${memoryKey(gateway)}/${model}`;
}
