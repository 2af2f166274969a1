import type * as vscode from 'vscode';
import { memoryKey } from '../../connection/configuredGateway.ts';
import type { Gateway } from '../../connection/gateways.ts';

/** The model of each gateway that the user chose to make titles by the command. */
export class TitleModels {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  of(gateway: Gateway): string | undefined {
    return this.#state.get<string>(key(gateway));
  }

  async remember(gateway: Gateway, model: string): Promise<void> {
    await this.#state.update(key(gateway), model);
  }

  /** Asks again the next time. */
  async forget(gateway: Gateway): Promise<void> {
    await this.#state.update(key(gateway), undefined);
  }
}

function key(gateway: Gateway): string {
  return `titleModel/${memoryKey(gateway)}`;
}
