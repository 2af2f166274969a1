import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';

/** What the user said of single models, for each gateway: which are pinned, and which are offered in chats. */
export class ModelMarks {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The ids of the pinned models, in the order in which they were pinned. */
  pinned(gateway: Gateway): readonly string[] {
    const kept = this.#state.get<unknown>(pinsKey(gateway));
    return Array.isArray(kept) ? [...new Set(kept.filter((id) => typeof id === 'string'))] : [];
  }

  async pin(gateway: Gateway, model: string): Promise<void> {
    const others = this.pinned(gateway).filter((id) => id !== model);
    await this.#keep(pinsKey(gateway), [...others, model]);
  }

  async unpin(gateway: Gateway, model: string): Promise<void> {
    const others = this.pinned(gateway).filter((id) => id !== model);
    await this.#keep(pinsKey(gateway), others);
  }

  /** What the user said, by model: whether it is offered in chats. */
  inChats(gateway: Gateway): ReadonlyMap<string, boolean> {
    const kept = this.#state.get<unknown>(chatsKey(gateway));
    const entries = Object.entries(isObject(kept) ? kept : {});
    return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  }

  async offerInChats(gateway: Gateway, model: string, offered: boolean): Promise<void> {
    const said = new Map(this.inChats(gateway)).set(model, offered);
    await this.#keep(chatsKey(gateway), Object.fromEntries(said));
  }

  async #keep(key: string, value: unknown): Promise<void> {
    await this.#state.update(key, value);
    this.#didChange.fire();
  }
}

function pinsKey(gateway: Gateway): string {
  return `pinnedModels/${memoryKey(gateway)}`;
}

function chatsKey(gateway: Gateway): string {
  return `modelsInChats/${memoryKey(gateway)}`;
}
