import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';

const maxRecent = 5;

/** Remembers the models of each gateway that the user used, and the requests that they refuse. */
export class ModelMemory {
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

  /** Notes that a model replied, or that a task was sent to it. */
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
   * Suggests a model for a new conversation: the model that was used last, or else the first one. Refused models and
   * models of the demo are suggested only if there are no others.
   *
   * @param models the gateway's models that are for chats
   */
  suggest(gateway: Gateway, models: readonly Model[]): string | undefined {
    const listed = new Set(models.map(({ id }) => id));
    const last = this.recent(gateway).find((id) => listed.has(id));
    if (last !== undefined) return last;
    const withoutDemo = models.filter(({ id }) => !isDemoModel(gateway, id));
    const candidates = withoutDemo.length > 0 ? withoutDemo : models;
    return (candidates.find(({ id }) => !this.#refused.has(refusedKey(gateway, id))) ?? candidates[0])?.id;
  }
}

function stateKey(list: 'recentModels' | 'comparedModels', gateway: Gateway): string {
  return `${list}/${buildMemoryKey(gateway)}`;
}

function refusedKey(gateway: Gateway, model: string): string {
  return `${buildMemoryKey(gateway)}/${model}`;
}
