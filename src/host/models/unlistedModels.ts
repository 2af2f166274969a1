import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { gatewayKey } from '../connection/gateways.ts';

/** Whether the gateway's list, as far as there is one, is without this model. */
export function lacksModel({ state }: GatewayConnection, model: string): boolean {
  const { models, modelsBeyond } = state;
  return models.length > 0 && modelsBeyond === 0 && models.every(({ id }) => id !== model);
}

/** The models that the user was told their gateway does not list: each is told once, before anything is sent. */
export class UnlistedModels {
  readonly #told = new Set<string>();

  /**
   * Whether the user has yet to hear of it; true once for each. A list of an earlier session is read anew first.
   * Where no list is to be had, nothing is held against a model.
   */
  async isNews(connection: GatewayConnection, model: string): Promise<boolean> {
    if (!lacksModel(connection, model)) return false;
    if (connection.state.phase === 'unasked') await connection.refresh();
    if (connection.state.phase !== 'ready' || !lacksModel(connection, model)) return false;
    const name = `${gatewayKey(connection.gateway)} ${model}`;
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    return true;
  }
}
