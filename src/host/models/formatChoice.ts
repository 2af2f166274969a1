import type * as vscode from 'vscode';
import { defaultFormat, type TextFormatId, textFormatId } from '../../wire/apis/textFormats.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { ModelRules } from './modelRules.ts';

/**
 * The API format of each model: the one last chosen for it, else the one of the user's rules, else the one
 * that every gateway serves.
 */
export class FormatChoice {
  readonly #state: vscode.Memento;
  readonly #rules: () => ModelRules;

  /** @param rules the user's settings of models */
  constructor(state: vscode.Memento, rules: () => ModelRules) {
    this.#state = state;
    this.#rules = rules;
  }

  of(gateway: Gateway | undefined, model: string | undefined): TextFormatId {
    if (gateway === undefined || model === undefined) return defaultFormat;
    return this.said(gateway, model) ?? defaultFormat;
  }

  /** The one that the user chose for the model or for models like it. */
  said(gateway: Gateway, model: string): TextFormatId | undefined {
    const chosen = textFormatId(this.#state.get(key(gateway, model)));
    return chosen ?? this.#rules().format(model);
  }

  /** The one that applies to the model without a choice in a chat. */
  defaultOf(model: string | undefined): TextFormatId {
    return (model === undefined ? undefined : this.#rules().format(model)) ?? defaultFormat;
  }

  async remember(gateway: Gateway | undefined, model: string, format: TextFormatId): Promise<void> {
    if (gateway) await this.#state.update(key(gateway, model), format);
  }
}

function key(gateway: Gateway, model: string): string {
  return `format/${memoryKey(gateway)}/${model}`;
}
