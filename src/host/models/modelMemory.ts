import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';

const maxRecent = 5;

/** Remembers which models were used with each gateway: those that replied, the last one first. */
export class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  /** The models that their gateway refused since the window opened. */
  readonly #refused = new Set<string>();
  /** The models that their gateway refused to let go on with a reply that ended the conversation. */
  readonly #prefixRefused = new Set<string>();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The models that replied last, without those refused since. */
  recent(gateway: Gateway): readonly string[] {
    const kept = this.#state.get<unknown>(recentKey(gateway));
    const ids = new Set(Array.isArray(kept) ? kept : []);
    return [...ids].filter((id) => typeof id === 'string' && !this.#refused.has(refusedKey(gateway, id)));
  }

  /** Notes that a model replied, or was sent a task. */
  async used(gateway: Gateway, model: string): Promise<void> {
    const wasRefused = this.#refused.delete(refusedKey(gateway, model));
    const before = this.recent(gateway);
    if (before[0] === model && !wasRefused) return;
    const recent = [model, ...before.filter((id) => id !== model)].slice(0, maxRecent);
    await this.#state.update(recentKey(gateway), recent);
    this.#didChange.fire();
  }

  /** Notes that the gateway has no such model for this account, or not for chats. */
  refused(gateway: Gateway, model: string): void {
    this.#refused.add(refusedKey(gateway, model));
    this.#didChange.fire();
  }

  /** Notes that a model goes on with no reply that ends the conversation. */
  refusedPrefix(gateway: Gateway, model: string): void {
    this.#prefixRefused.add(refusedKey(gateway, model));
  }

  refusesPrefix(gateway: Gateway, model: string): boolean {
    return this.#prefixRefused.has(refusedKey(gateway, model));
  }

  /** The models of a gateway that were compared last. */
  compared(gateway: Gateway): readonly string[] {
    const kept = this.#state.get<unknown>(comparedKey(gateway));
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  }

  async noteCompared(gateway: Gateway, models: readonly string[]): Promise<void> {
    await this.#state.update(comparedKey(gateway), models);
  }

  /**
   * Suggests a model for a new chat: the one that replied last, else the first of the gateway's, and none that
   * was refused, or is the demo's, as long as there is another.
   *
   * @param models those of the gateway that are for chats
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

function recentKey(gateway: Gateway): string {
  return `recentModels/${memoryKey(gateway)}`;
}

function comparedKey(gateway: Gateway): string {
  return `comparedModels/${memoryKey(gateway)}`;
}

function refusedKey(gateway: Gateway, model: string): string {
  return `${memoryKey(gateway)}/${model}`;
}
