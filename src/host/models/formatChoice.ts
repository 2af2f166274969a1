import type * as vscode from 'vscode';
import { defaultFormat, readTextFormatId, type TextFormatId } from '../../wire/apis/textFormats.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { ModelRules } from './modelRules.ts';

/**
 * The API format of each model: the format last chosen for it, or else the format of the user's rules, or else the
 * format that every gateway supports.
 */
export class FormatChoice {
  readonly #state: vscode.Memento;
  readonly #rules: () => ModelRules;

  /** @param rules returns the user's settings of models */
  constructor(state: vscode.Memento, rules: () => ModelRules) {
    this.#state = state;
    this.#rules = rules;
  }

  /** The format of requests to a model. */
  of(gateway: Gateway | undefined, model: string | undefined): TextFormatId {
    if (gateway === undefined || model === undefined) return defaultFormat;
    return this.chosenFormat(gateway, model) ?? defaultFormat;
  }

  /** The format last chosen for the model, or else the format of the user's rules. */
  chosenFormat(gateway: Gateway, model: string): TextFormatId | undefined {
    const chosen = readTextFormatId(this.#state.get(stateKey(gateway, model)));
    return chosen ?? this.#rules().format(model);
  }

  /** The format of the model if none was chosen for it. */
  getDefault(model: string | undefined): TextFormatId {
    return (model === undefined ? undefined : this.#rules().format(model)) ?? defaultFormat;
  }

  async remember(gateway: Gateway | undefined, model: string, format: TextFormatId): Promise<void> {
    if (gateway) await this.#state.update(stateKey(gateway, model), format);
  }
}

function stateKey(gateway: Gateway, model: string): string {
  return `format/${buildMemoryKey(gateway)}/${model}`;
}
