import type * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { memoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';

/** Remembers which model was used last with each gateway. */
export class ModelMemory {
  readonly #state: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.#state = context.globalState;
  }

  async remember(gateway: Gateway | undefined, model: string): Promise<void> {
    if (gateway) await this.#state.update(key(gateway), model);
  }

  /** Returns the model used last if the gateway still lists it, else the first model. */
  suggest(gateway: Gateway | undefined, models: readonly Model[]): string | undefined {
    const last = gateway && this.#state.get<string>(key(gateway));
    return (models.find((model) => model.id === last) ?? models[0])?.id;
  }
}

function key(gateway: Gateway): string {
  return `lastModel/${memoryKey(gateway)}`;
}
