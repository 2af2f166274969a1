import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';

/**
 * What the user said of single models, for each gateway: which are pinned, and which are offered in chats, ours and
 * VS Code's own.
 */
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
    return this.#said(chatsKey(gateway));
  }

  async offerInChats(gateway: Gateway, model: string, offered: boolean): Promise<void> {
    await this.#say(chatsKey(gateway), model, offered);
  }

  /** What the user said, by model: whether it is offered in VS Code's own chat. */
  inVsCodeChat(gateway: Gateway): ReadonlyMap<string, boolean> {
    return this.#said(vsCodeChatKey(gateway));
  }

  async offerInVsCodeChat(gateway: Gateway, model: string, offered: boolean): Promise<void> {
    await this.#say(vsCodeChatKey(gateway), model, offered);
  }

  #said(key: string): ReadonlyMap<string, boolean> {
    const kept = this.#state.get<unknown>(key);
    const entries = Object.entries(isObject(kept) ? kept : {});
    return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  }

  async #say(key: string, model: string, offered: boolean): Promise<void> {
    await this.#keep(key, Object.fromEntries(new Map(this.#said(key)).set(model, offered)));
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

function vsCodeChatKey(gateway: Gateway): string {
  return `modelsInVsCodeChat/${memoryKey(gateway)}`;
}
